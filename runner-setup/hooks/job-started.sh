#!/bin/bash
# Called by the runner before a job's first step; it wants a script.
exec /usr/local/lib/shakedown/bin/shakedown host hook job-started
