module shakedown/driver

go 1.25
