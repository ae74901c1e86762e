#!/bin/bash
# Called by the runner after a job's last step; it wants a script.
exec /usr/local/lib/shakedown/bin/shakedown host hook job-completed
