import {
  HOOK_FILE,
  HOOK_TABLE,
  type HookProgram,
  type HostPlace,
  hasHook,
  hostFile,
  isOurs,
  planInstall,
} from '@steward/assistants'
import { type Fields, type HostName, isFields, parseJson } from '@steward/contract'
import type { Io } from '../io.ts'
import { findHostCommand, isHostHere } from './find-hosts.ts'
import type { HookReport, HostReport, Registration } from './host-report.ts'
import { readIfThere } from './install-record.ts'
import type { ReadFiring } from './read-firings.ts'

/** Errors before these are history. */
const RECENT = 200

export interface Inspection {
  place: HostPlace
  program: HookProgram
  /** Of this host, oldest first. */
  firings: readonly ReadFiring[]
}

/** What the files say of an assistant: its registrations and the last firings. It is not started. */
export const inspectHost = (
  io: Io,
  host: HostName,
  { place, program, firings }: Inspection,
): HostReport => {
  const file = hostFile(host, place)
  const text = readIfThere(file)
  const settings = host === 'opencode' ? {} : fieldsIn(text)
  const isPlugin = host === 'opencode' && text?.includes(HOOK_FILE) === true
  const counted = firings.filter(({ yielded }) => yielded !== true)
  const hooks = HOOK_TABLE[host].map((entry): HookReport => {
    const { event, async, guards, asks } = entry
    const own = counted.filter(
      (firing) => firing.event === event && (firing.guard === true) === (guards === true) && !asks,
    )
    return {
      event,
      kind: asks ? 'asks' : guards ? 'guards' : 'tells',
      registered: isPlugin || hasHook(settings ?? {}, entry),
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
    found: isHostHere(io, host),
    command: findHostCommand(io, host) ?? null,
    file,
    state: stateOf(host, file, text, settings, hooks, program),
    hooks,
    foreign: countForeign(settings ?? {}),
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
  settings: Fields | undefined,
  hooks: readonly HookReport[],
  program: HookProgram,
): Registration => {
  if (settings === undefined) return 'unreadable'
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

const fieldsIn = (text: string | undefined): Fields | undefined => {
  if (text === undefined || text.trim() === '') return {}
  const parsed = parseJson(text, 'settings')
  return parsed.ok && isFields(parsed.value) ? parsed.value : undefined
}

const countForeign = ({ hooks }: Fields): number =>
  isFields(hooks)
    ? Object.values(hooks)
        .flatMap((entries) => (Array.isArray(entries) ? entries : []))
        .filter((entry) => !isOurs(entry)).length
    : 0

const medianOf = (firings: readonly ReadFiring[]): number | null => {
  const times = firings.map(({ duration_ms }) => duration_ms).toSorted((a, b) => a - b)
  return times[Math.floor(times.length / 2)] ?? null
}
