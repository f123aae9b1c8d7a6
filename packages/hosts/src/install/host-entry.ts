import type { Fields, HostName } from '@steward/contract'
import { argumentsFor, commandLineFor, type HookProgram } from './hook-program.ts'
import type { HookEntry } from './hook-table.ts'

const MS = 1000

/** A registration as it stands in a host's file: a group with one handler, or for Cursor the handler alone. */
export const buildHostEntry = (host: HostName, entry: HookEntry, program: HookProgram): Fields => {
  const { event, matcher, async, timeoutSeconds } = entry
  const group = (handler: Fields): Fields => ({
    ...(matcher === undefined ? {} : { matcher }),
    hooks: [{ type: 'command', ...handler }],
  })
  const command = commandLineFor(program, event, host)
  switch (host) {
    case 'claude':
      // Started without a shell: no quoting, and no shell's start-up files.
      return group({
        command: program.node,
        args: argumentsFor(program, event, host),
        timeout: timeoutSeconds,
        ...(async ? { async } : {}),
      })
    case 'gemini':
      return group({ name: `steward ${event}`, command, timeout: timeoutSeconds * MS })
    case 'cursor':
      return { command, timeout: timeoutSeconds }
    default:
      return group({ command, timeout: timeoutSeconds, ...(async ? { async } : {}) })
  }
}
