import type { Fields, HostName } from '@steward/contract'
import { argumentsFor, commandLineFor, guardAddress, type HookProgram } from './hook-program.ts'
import type { HookEntry } from './hook-table.ts'

const MS = 1000

/** A registration as it stands in a host's file: a group with one handler, or for Cursor the handler alone. */
export const buildHostEntry = (host: HostName, entry: HookEntry, program: HookProgram): Fields => {
  const { event, matcher, async, timeoutSeconds, guards, asks } = entry
  const inGroup = (handler: Fields): Fields => ({
    ...(matcher === undefined ? {} : { matcher }),
    hooks: [handler],
  })
  const group = (handler: Fields): Fields => inGroup({ type: 'command', ...handler })
  if (asks !== undefined) {
    return inGroup({ type: 'http', url: guardAddress(asks, program), timeout: timeoutSeconds })
  }
  const command = commandLineFor(program, entry, host)
  switch (host) {
    case 'claude':
      // Started without a shell: no quoting, and no shell's start-up files.
      return group({
        command: program.node,
        args: argumentsFor(program, entry, host),
        timeout: timeoutSeconds,
        ...(async ? { async } : {}),
        // A guard that cannot be started must not let everything through. Versions before 2.1.325 do not read it.
        ...(guards && event === 'PreToolUse' ? { onFailure: 'block' } : {}),
      })
    case 'gemini':
      return group({
        name: `steward ${guards ? 'guard ' : ''}${event}`,
        command,
        timeout: timeoutSeconds * MS,
      })
    case 'cursor':
      return { command, timeout: timeoutSeconds, ...(guards ? { failClosed: true } : {}) }
    default:
      return group({ command, timeout: timeoutSeconds, ...(async ? { async } : {}) })
  }
}
