import { MARK, showMarked } from '../marks.ts'
import { type Program, readArguments, type Shell, valuesOf } from '../program.ts'
import { runUnknown } from './run-unknown.ts'

/** The effects of a container on its host: its mounts and privileges. */
const container: Program = (call) => {
  const { args, name, shell } = call
  for (const arg of args) {
    const path = /(?:^|,)(?:src|source|default)=([^,]+)/.exec(arg)?.[1]
    if (path !== undefined) shell.read(path, { mention: true })
  }
  const at = args.findIndex((arg) => /^(run|create|exec)$/.test(arg))
  if (at === -1)
    return /^(cp|push|import|load)$/.test(args[0] ?? '') ? runUnknown(call) : MARK.unknown
  const read = readArguments(args.slice(at + 1), [
    'v',
    'volume',
    'mount',
    'w',
    'e',
    'p',
    'name',
    'u',
    'env-file',
    'network',
    'entrypoint',
  ])
  const opens = args.some((arg) =>
    /^--privileged|^--pid=host|^--cap-add=(ALL|SYS_ADMIN)|seccomp[=:]unconfined/.test(arg),
  )
  if (opens) {
    shell.emit({
      kind: 'hazard',
      rule: 'builtin:open-container',
      verdict: 'ask',
      reason: `${name} starts a container that can reach the whole machine`,
    })
  }
  if (args[at] === 'exec') checkInside(name, args.slice(at + 1), shell)
  const mounts = [
    ...valuesOf(read, 'v', 'volume').map((mount) => mount.split(':')[0] ?? ''),
    ...valuesOf(read, 'mount').flatMap((mount) => /(?:source|src)=([^,]+)/.exec(mount)?.[1] ?? []),
  ]
  for (const path of mounts) {
    const isShared = args.some((arg) => arg.startsWith(`${path}:`) && arg.endsWith(':ro'))
    if (/^[/~.\uE003]/.test(path)) {
      shell.read(path, { recursive: true })
      if (!isShared) shell.write(path, { recursive: true, gentle: true })
    }
    if (path.endsWith('docker.sock')) {
      shell.emit({
        kind: 'hazard',
        rule: 'builtin:open-container',
        verdict: 'ask',
        reason: "a container with the engine's socket can do all that the engine can",
      })
    }
  }
  return MARK.unknown
}

/** A deletion inside a running container may remove its data. */
const checkInside = (name: string, args: readonly string[], shell: Shell): void => {
  const text = args.join(' ')
  const wide = /\brm\s+(?:-\w+\s+)*-[a-qs-zA-QS-Z0-9_]*[rR]\w*\s+(?:-\w+\s+)*(\S+)/.exec(text)?.[1]
  if (wide === undefined || !/^["']?[/~$]/.test(wide)) return
  if (/^\/(tmp|var\/tmp|var\/cache)\/|node_modules|cache|dist|build/.test(wide)) return
  shell.emit({
    kind: 'hazard',
    rule: 'builtin:container-data',
    verdict: 'ask',
    reason: `${name} deletes ${showMarked(wide)} in a running container`,
  })
}

const cluster: Program = (call) => {
  if (
    call.args.some((arg) => /^(apply|create|replace)$/.test(arg)) &&
    call.stdin.includes(MARK.remote)
  ) {
    call.shell.emit({
      kind: 'hazard',
      rule: 'builtin:remote-code',
      verdict: 'ask',
      reason: `${call.name} runs in the cluster what comes straight from the network`,
    })
  }
  const at = call.args.indexOf('exec')
  if (at !== -1) checkInside(call.name, call.args.slice(at + 1), call.shell)
  return runUnknown(call)
}

export const CONTAINER_PROGRAMS: Record<string, Program> = {
  docker: container,
  podman: container,
  nerdctl: container,
  kubectl: cluster,
  oc: cluster,
}
