import { type AttentionEntry, reasonOf } from '@steward/contract'
import { readSessionNames } from '@steward/platform'
import {
  completeEntry,
  entryOfRequest,
  entryOfWait,
  type OpenEntry,
  sortEntries,
} from './attention-entries.ts'
import { listEscalations, listHostedWaits, listStopped } from './other-waits.ts'
import type { OwnPrompts } from './own-prompts.ts'
import type { AttentionPorts } from './ports.ts'
import type { Requests } from './requests.ts'
import type { SessionWait, SessionWaits } from './session-waits.ts'

/** Flows and observers change without an event of ours. */
const LOOK_MS = 60_000

/**
 * Waits of sessions that Steward drives. Their permissions are requests; hooks report them as well, and
 * sometimes only after the answer.
 */
const TURN_IS_OVER: ReadonlySet<SessionWait['reason']> = new Set(['done', 'idle', 'error'])

export interface AttentionList {
  list: () => Promise<AttentionEntry[]>
  /** Looks again at hosted agents, flows and observers, now and every minute. */
  lookAtOthers: () => Promise<void>
  /** An entry of a hosted agent, a flow or an observer, as last seen. */
  findOther: (id: string) => OpenEntry | undefined
  /** Sessions may have other names now. */
  forgetNames: () => void
  stop: () => void
}

interface ListPorts
  extends Pick<AttentionPorts, 'home' | 'hosted' | 'command' | 'now' | 'setTimer' | 'log'> {
  requests: Pick<Requests, 'open'>
  waits: Pick<SessionWaits, 'waiting'>
  ownPrompts: Pick<OwnPrompts, 'waiting'>
  isDriven: (sessionId: string) => boolean
  onChange: () => void
}

/** Everything that waits for the person, from all sources, with the names of sessions. */
export const createAttentionList = (ports: ListPorts): AttentionList => {
  const { home, hosted, command, now, setTimer, log, requests, waits, ownPrompts, isDriven } = ports
  /** Read once for all sessions, until one may have another name or an unknown one waits. */
  let names: Promise<Readonly<Record<string, unknown>>> | undefined
  const looked = new Set<string>()
  let others: OpenEntry[] = []
  let cancelLook = (): void => undefined

  const readNames = async (): Promise<Readonly<Record<string, unknown>>> => {
    const read = await readSessionNames(home)
    return read.ok ? read.value : {}
  }
  const namesOf = (entries: readonly OpenEntry[]): Promise<Readonly<Record<string, unknown>>> => {
    const isNew = entries.some(({ session_id }) => !looked.has(session_id))
    if (names === undefined || isNew) names = readNames()
    for (const { session_id } of entries) looked.add(session_id)
    return names
  }
  const list = async (): Promise<AttentionEntry[]> => {
    const open = requests.open()
    const asking = new Set(open.map(({ request }) => request.session_id))
    const ignored = ownPrompts.waiting()
    const ignoring = new Set(ignored.map(({ session_id }) => session_id))
    const waiting = waits.waiting().filter(({ session_id }) => !ignoring.has(session_id))
    const found = [
      ...open.map(entryOfRequest),
      // The request itself says more than the event about it.
      ...[...waiting, ...ignored]
        .filter(({ session_id }) => !asking.has(session_id))
        .filter(({ session_id, reason }) => !isDriven(session_id) || TURN_IS_OVER.has(reason))
        .map((wait) => entryOfWait(wait, isDriven(wait.session_id))),
      ...others,
    ]
    const byId = await namesOf(found)
    return sortEntries(
      found.map((entry) => completeEntry(entry, entry.name || nameOf(entry, byId))),
    )
  }
  const lookAtOthers = async (): Promise<void> => {
    cancelLook()
    try {
      others = [
        ...(await listHostedWaits(hosted)),
        ...(await listStopped(home, command)),
        ...(await listEscalations(home, command, now())),
      ]
    } catch (thrown) {
      log.warn(`attention: hosted agents cannot be asked: ${reasonOf(thrown)}`)
    }
    cancelLook = setTimer(LOOK_MS, () => void lookAtOthers())
    ports.onChange()
  }
  return {
    list,
    lookAtOthers,
    findOther: (id) => others.find((other) => other.id === id),
    forgetNames: () => {
      names = undefined
      looked.clear()
    },
    stop: () => cancelLook(),
  }
}

const nameOf = (
  { session_id, project }: OpenEntry,
  names: Readonly<Record<string, unknown>>,
): string => {
  const known = Object.hasOwn(names, session_id) ? names[session_id] : undefined
  if (typeof known === 'string') return known
  const folder = project.split(/[\\/]/).at(-1)
  return `Session ${session_id.slice(0, 8)}${folder ? ` in ${folder}` : ''}`
}
