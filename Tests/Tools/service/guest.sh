# In the VM: installs the programs as `make install` does.
install_service() {
  cp -a "$PROGRAMS/." /
  systemd-sysusers 2> /dev/null
  mkdir -p /etc/touchgate/touchgate.conf.d /etc/touchgate/handlers.d
  systemctl daemon-reload
}
# Waits for a command to succeed, some seconds at most.
wait_for() { # SECONDS COMMAND...
  local end=$((SECONDS + $1)); shift
  until "$@"; do [ $SECONDS -lt $end ] || return 1; sleep 0.1; done
}
