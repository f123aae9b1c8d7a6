import type { HostName } from '@steward/contract'
import { isHostName } from '../assistants.ts'
import { HOOK_ORIGINS, type HookOrigin } from '../registration/hook-program.ts'

/** The arguments of the hook. */
export interface HookCall {
  /** The assistant's own name of the event. */
  event: string
  host: HostName
  origin?: HookOrigin
  /** Judge the event instead of reporting it. */
  guard?: true
}

export const readArguments = (args: readonly string[]): HookCall | undefined => {
  let event: string | undefined
  let host = 'claude'
  let origin: HookOrigin | undefined
  let guard = false
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (arg === '--host') host = args[++at] ?? ''
    else if (arg === '--guard') guard = true
    else if (arg === '--origin') origin = originOf(args[++at])
    // Already handled at the start of the program.
    else if (arg === '--home') at++
    else if (arg.startsWith('--host=')) host = arg.slice('--host='.length)
    else event ??= arg
  }
  if (event === undefined || !isHostName(host)) return undefined
  return { event, host, ...(origin === undefined ? {} : { origin }), ...(guard ? { guard } : {}) }
}

const originOf = (name: string | undefined): HookOrigin | undefined =>
  HOOK_ORIGINS.find((origin) => origin === name)
