#!/bin/bash
# Stands for the `docker` command where there is none, in what the driver asks of it: a container is a
# note of what it was made of, and a program in it runs under bubblewrap with the mounts of that note.
# Like Docker's own, it refuses options that it does not know, and what `exec` started ends with the
# container, not with the command that started it. Its notes are in the folder $DOCKER_HOST;
# with $DOCKER_FAILS=run, containers do not start.
set -u
fail() {
  echo "$*" >&2
  exit 125
}

command=$1
shift
case $command in
  info) alone='' valued='format' ;;
  image) alone='' valued='format' && shift ;;
  ps) alone='all' valued='filter format' ;;
  run)
    alone='detach init read-only'
    valued='name label runtime network hostname user ipc pull cap-drop security-opt cpus pids-limit'
    valued+=' memory memory-swap ulimit tmpfs mount workdir entrypoint'
    ;;
  exec) alone='interactive' valued='workdir env' ;;
  restart) alone='' valued='time' ;;
  rm) alone='force volumes' valued='' ;;
  *) fail "'$command' is not a docker command" ;;
esac

declare -A given=()
mounts=()
variables=()
# Options end at the first word that is none, as Docker reads them.
while [[ ${1-} == --* ]]; do
  option=${1#--}
  shift
  if [[ " $valued " == *" $option "* ]]; then
    case $option in
      mount)
        [[ $1 =~ ^type=bind,\"source=([^\"]*)\",\"target=([^\"]*)\"(,readonly)?$ ]] ||
          fail "invalid mount: $1"
        mounts+=("${BASH_REMATCH[3]:+--ro-bind}" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}")
        ;;
      env) variables+=(--setenv "${1%%=*}" "${1#*=}") ;;
      *) given[$option]=$1 ;;
    esac
    shift
  elif [[ " $alone " != *" $option "* ]]; then
    fail "unknown flag: --$option"
  fi
done

end_all() {
  while read -r group; do kill -KILL -- "-$group" 2>/dev/null; done <"$1/groups"
  : >"$1/groups"
}

place=$DOCKER_HOST/${given[name]-${1-}}
case $command in
  info) [[ ${given[format]} == *Runtimes* ]] && echo '{"runc":{},"runsc":{}}' || echo 2 ;;
  image) echo sha256:0 ;;
  ps) ls "$DOCKER_HOST" ;;
  run)
    mkdir "$place" || fail 'the name is already in use'
    echo "${given[network]}" >"$place/network"
    printf '%s\n' "${mounts[@]}" >"$place/mounts"
    : >"$place/groups"
    [[ ${DOCKER_FAILS-} != run ]] || fail 'the container was made and does not start'
    ;;
  exec)
    [[ -d $place ]] || fail "No such container: $1"
    shift
    binds=()
    while read -r kind && read -r source && read -r target; do
      binds+=("${kind:---bind}" "$source" "$target")
    done <"$place/mounts"
    system=()
    for path in /usr /etc /bin /sbin /lib /lib64; do system+=(--ro-bind-try "$path" "$path"); done
    [[ $(<"$place/network") == none ]] && system+=(--unshare-net)
    setsid bwrap "${system[@]}" --proc /proc --dev /dev --tmpfs /dev/shm --unshare-pid \
      "${binds[@]}" --chdir "${given[workdir]}" --clearenv "${variables[@]}" -- "$@" <&0 &
    echo $! >>"$place/groups"
    wait $!
    ;;
  restart) end_all "$place" ;;
  rm)
    end_all "$place"
    rm -r "$place"
    ;;
esac
