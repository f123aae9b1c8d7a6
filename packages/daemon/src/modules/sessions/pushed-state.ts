import { isJsonObject, type JsonObject, unwrap, type WorkState } from '@steward/contract'
import {
  type PushedStates,
  readPushedStates,
  workStateIn,
  writePushedState,
} from '@steward/platform'
import type { SessionsPorts } from './ports.ts'

/** The work state of another machine. */
export interface RemoteState {
  machine: string
  state: WorkState
}

/**
 * Stored on disk before the push is acknowledged, because the other machine does not push again
 * after our restart. Each machine has its own.
 */
export const createPushedState = ({
  home,
  log,
  now,
  redactor,
}: Pick<SessionsPorts, 'home' | 'log' | 'now' | 'redactor'>) => {
  let current: PushedStates = {}
  let remote: readonly RemoteState[] = []

  const set = (states: PushedStates): void => {
    current = states
    remote = Object.entries(states).map(([machine, { document }]) => ({
      machine,
      state: workStateIn(document),
    }))
  }

  return {
    load: async (): Promise<void> => {
      const read = await readPushedStates(home)
      if (read.ok) set(read.value)
      else log.error(`the previously pushed work state is lost: ${read.error.message}`)
    },
    accept: async (document: JsonObject): Promise<void> => {
      const receivedAt = new Date(now()).toISOString()
      const clean = redactor().redactFields(document).value
      set(unwrap(await writePushedState(home, { receivedAt, document: clean })))
    },
    remote: (): readonly RemoteState[] => remote,
    /** The sessions of all machines; of equal slugs the one pushed last. */
    sessions: (): Record<string, JsonObject> =>
      Object.assign({}, ...remote.map(sessionsIn).reverse()),
    /** The time of the last push. */
    receivedAt: (): string | null =>
      Object.values(current)
        .map(({ receivedAt }) => receivedAt)
        .toSorted()
        .at(-1) ?? null,
  }
}

export const sessionsIn = ({ state }: Pick<RemoteState, 'state'>): Record<string, JsonObject> =>
  Object.fromEntries(
    Object.entries(state.sessions).flatMap(([slug, entry]) =>
      isJsonObject(entry) ? [[slug, entry]] : [],
    ),
  )
