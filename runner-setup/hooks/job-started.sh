#!/bin/bash
# The runner calls this before a job's first step. It requires a script.
exec /usr/local/lib/shakedown/bin/shakedown host hook job-started
