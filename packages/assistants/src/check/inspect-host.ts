import type { HostName } from '@steward/contract'
import type { HostPlace } from '../assistant.ts'
import { ASSISTANTS } from '../assistants.ts'
import { findHostCommand, isHostHere } from '../install/find-hosts.ts'
import { readIfThere } from '../install/install-record.ts'
import { planInstall } from '../install/plan-change.ts'
import type { RegisteredHooks } from '../registration/hook-format.ts'
import { HOOK_FILE, type HookProgram } from '../registration/hook-program.ts'
import type { HookReport, HostReport, Registration } from '../report/host-report.ts'
import type { ReadFiring } from './read-firings.ts'

/** Older errors are ignored. */
const RECENT = 200

export interface Inspection {
  place: HostPlace
  program: HookProgram
  /** Of this assistant, oldest first. */
  firings: readonly ReadFiring[]
}

/** An assistant's registrations and last firings, from files. It is not started. */
export const inspectHost = (
  host: HostName,
  { place, program, firings }: Inspection,
): HostReport => {
  const assistant = ASSISTANTS[host]
  const file = assistant.file(place)
  const text = readIfThere(file)
  const found = assistant.format.find(text)
  const counted = firings.filter(({ yielded }) => yielded !== true)
  const hooks = assistant.hooks.map((entry): HookReport => {
    const { event, async, guards, asks } = entry
    const own = counted.filter(
      (firing) => firing.event === event && (firing.guard === true) === (guards === true) && !asks,
    )
    return {
      event,
      kind: asks ? 'asks' : guards ? 'guards' : 'tells',
      registered: found?.has(entry) === true,
      waited: !async,
      lastFiring: own.at(-1)?.timestamp ?? null,
      firings: own.length,
      medianMs: medianOf(own),
    }
  })
  const isWaitedFor = ({ event, guard }: ReadFiring) =>
    guard === true ||
    hooks.some((hook) => hook.event === event && hook.kind === 'tells' && hook.waited)
  return {
    host,
    found: isHostHere(place, host),
    command: findHostCommand(place, host) ?? null,
    file,
    state: stateOf(host, file, text, found, hooks, program),
    hooks,
    foreign: found?.foreign ?? 0,
    addedMs: medianOf(counted.filter(isWaitedFor)),
    errors: firings
      .slice(-RECENT)
      .flatMap(({ timestamp, event, errors = [] }) =>
        errors.map((message) => ({ timestamp, event, message })),
      ),
    pluginFired: firings.findLast(({ origin }) => origin === 'plugin')?.timestamp ?? null,
  }
}

const stateOf = (
  host: HostName,
  file: string,
  text: string | undefined,
  found: RegisteredHooks | undefined,
  hooks: readonly HookReport[],
  program: HookProgram,
): Registration => {
  if (found === undefined) return 'unreadable'
  if (text === undefined || !text.includes(HOOK_FILE)) return 'missing'
  try {
    if (planInstall(host, file, text, program).after === text) return 'installed'
  } catch (thrown) {
    if (thrown instanceof Error) return 'unreadable'
    throw thrown
  }
  if (!text.includes(JSON.stringify(program.file).slice(1, -1))) return 'other'
  return hooks.every(({ registered }) => registered) ? 'outdated' : 'incomplete'
}

const medianOf = (firings: readonly ReadFiring[]): number | null => {
  const times = firings.map(({ duration_ms }) => duration_ms).toSorted((a, b) => a - b)
  return times[Math.floor(times.length / 2)] ?? null
}
