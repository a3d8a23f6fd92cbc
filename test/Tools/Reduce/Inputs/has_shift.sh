#!/bin/sh
# Status 1 where the module has a shift.
! grep -q arith.shrsi "$1"
