import type { Effect } from '../effects.ts'
import { isShell } from '../programs/shell-programs.ts'
import type { Walker } from './walker.ts'

/** A shell on one side of a connection and the network on the other. */
export const checkReverseShell = (walker: Walker, effects: readonly Effect[]): void => {
  const programs = effects.flatMap((effect) => (effect.kind === 'run' ? [effect] : []))
  const connects = programs.some(({ program }) => /^(nc|ncat|netcat|socat|telnet)$/.test(program))
  const serves = programs.some(
    ({ program, argv }) => isShell(program) && (argv.length === 1 || argv.includes('-i')),
  )
  if (!connects || !serves) return
  walker.log.emit({
    kind: 'hazard',
    rule: 'builtin:reverse-shell',
    verdict: 'deny',
    reason: 'a shell is handed to whoever is at the other end of a connection',
  })
}
