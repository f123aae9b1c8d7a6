import {
  type Comparison,
  type ComparisonStart,
  type DrivenSession,
  type DrivenStart,
  StewardError,
} from '@steward/contract'
import type { DrivenStore } from './driven-store.ts'

export interface ComparisonPorts {
  store: Pick<DrivenStore, 'saveComparison' | 'comparison' | 'listComparisons' | 'find'>
  now: () => number
  newId: () => string
  /** Starts a session in a slot that it takes. */
  start: (body: DrivenStart) => Promise<DrivenSession>
  /** Stops a session and removes its worktree or copy. */
  discard: (session: DrivenSession) => Promise<void>
  find: (id: string) => DrivenSession
  readDiff: (session: DrivenSession) => Promise<{ diff: string | null; truncated: boolean }>
}

export interface Comparisons {
  start: (body: ComparisonStart) => Promise<Comparison>
  get: (id: string) => Promise<Comparison>
  /** The last ones first, without their changes. */
  list: (limit: number) => Array<Omit<Comparison, 'sides'> & { sessions: DrivenSession[] }>
}

/** The same task for several assistants, each in a worktree or copy of its own. */
export const createComparisons = (ports: ComparisonPorts): Comparisons => {
  const { store } = ports

  /** One after the other, to spare the machine; if one cannot be started, none stays. */
  const startAll = async ({ assistants, ...task }: ComparisonStart): Promise<DrivenSession[]> => {
    const started: DrivenSession[] = []
    try {
      for (const assistant of assistants) {
        started.push(await ports.start({ ...task, assistant, worktree: !task.copy }))
      }
      return started
    } catch (thrown) {
      for (const session of started) await ports.discard(session)
      throw thrown
    }
  }

  const get = async (id: string): Promise<Comparison> => {
    const stored = store.comparison(id)
    if (stored === undefined) throw new StewardError('not_found', { what: 'comparison', name: id })
    const { sessions, ...rest } = stored
    const sides = await Promise.all(
      sessions
        .filter((each) => store.find(each).length > 0)
        .map(async (each) => {
          const session = ports.find(each)
          const isOver = session.state !== 'starting' && session.state !== 'working'
          const read = isOver ? await ports.readDiff(session) : { diff: null, truncated: false }
          return { session, ...read }
        }),
    )
    return { ...rest, sides }
  }

  return {
    get,
    list: (limit) =>
      store.listComparisons(limit).map(({ sessions, ...rest }) => ({
        ...rest,
        sessions: sessions.flatMap((id) => store.find(id).filter((each) => each.id === id)),
      })),
    start: async (body) => {
      const sessions = await startAll(body)
      const [first] = sessions
      const id = ports.newId()
      store.saveComparison({
        id,
        prompt: first?.prompt ?? '',
        project: first?.project ?? body.project,
        startedAt: new Date(ports.now()).toISOString(),
        sessions: sessions.map((session) => session.id),
      })
      return get(id)
    },
  }
}
