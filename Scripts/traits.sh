#!/usr/bin/env bash
# What every build in .build is told, so that none compiles anew what another has made: with PostgreSQL. A plain
# `swift build` leaves it out, and needs no libpq.
echo "--traits PostgreSQL"
