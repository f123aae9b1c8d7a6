import { StewardError, toStewardError } from '@steward/contract'
import { type StartTimer, startSystemTimer } from '@steward/platform'
import { createDiskWatch } from './disk/disk-watch.ts'
import { clearEgressFolders } from './egress/egress-folder.ts'
import type { Hands, HandsSession, ToolOutcome } from './hands.ts'
import { createIdleWatch } from './idle-watch.ts'
import { DEFAULT_LIMITS, type SandboxLimits } from './sandbox/limits/limits.ts'
import { type OpenDriverOptions, openDriver } from './sandbox/open-driver.ts'
import { deletePlace, locateSession } from './sandbox/place.ts'
import type { SessionFiles } from './session-files.ts'
import { createSessionHands, type SessionHands } from './session-hands.ts'
import { type OutsideTool, type ProvisionSession, provisionNothing } from './surroundings.ts'

export interface CreateHandsOptions extends OpenDriverOptions {
  limits?: Partial<SandboxLimits>
  /** Egress, mounts and packages. */
  surround?: ProvisionSession
  /** Tools that run outside the sandbox, by name. */
  outsideTools?: Readonly<Record<string, OutsideTool>>
  /** After this long without a call, a session loses its processes but keeps its files. */
  idleMs?: number
  startTimer?: StartTimer
  /** Lets files follow their session to another machine; absent if there is only one. */
  files?: SessionFiles
  /** Receives the files that a session lost when it moved here, or the reason why it cannot move. */
  onLoss?: (sessionId: string, loss: string) => void
  /** Receives failures of background work. */
  report?: (error: StewardError, sessionId: string) => void
}

/** An idle sandbox holds memory and processes that others could use. */
const IDLE_MS = 60 * 60 * 1000

/**
 * Provides real sandboxes. Fails if the requested isolation does not work here, so that no session
 * runs unisolated unless the operator asked for it.
 */
export const createHands = async (options: CreateHandsOptions): Promise<Hands> => {
  await clearEgressFolders()
  const { driver, close } = await openDriver(options)
  const wanted = { ...DEFAULT_LIMITS, ...options.limits }
  const limits = { ...wanted, fileBytes: Math.min(wanted.fileBytes, wanted.diskBytes) }
  const outside = new Map(Object.entries(options.outsideTools ?? {}))
  const diskWatch = createDiskWatch()
  const sessions = new Map<string, SessionHands>()
  const releasing = new Map<string, Promise<void>>()
  /** The sessions whose files are known to be here, as last opened. */
  const arrived = new Map<string, { session: HandsSession; notes: Promise<readonly string[]> }>()
  /** Copies in progress; later work of a session waits for its copy. */
  const saving = new Map<string, Promise<void>>()
  let isClosed = false

  const release = async (sessionId: string, workspace: 'keep' | 'delete') => {
    const held = sessions.get(sessionId)
    sessions.delete(sessionId)
    idle.forget(sessionId)
    await held?.end()
    if (workspace === 'delete') await deletePlace(locateSession(options.home, sessionId))
  }

  const checkOpen = (): void => {
    if (isClosed)
      throw new StewardError('sandbox_unavailable', { reason: 'the server is stopping' })
  }

  const releaseInTurn = async (sessionId: string, workspace: 'keep' | 'delete'): Promise<void> => {
    const before = releasing.get(sessionId) ?? Promise.resolve()
    const mine = before.then(() => release(sessionId, workspace))
    releasing.set(sessionId, mine)
    await mine.finally(() => {
      if (releasing.get(sessionId) === mine) releasing.delete(sessionId)
    })
  }

  const idle = createIdleWatch({
    idleMs: options.idleMs ?? IDLE_MS,
    startTimer: options.startTimer ?? startSystemTimer,
    onIdle: (sessionId) =>
      void releaseInTurn(sessionId, 'keep').catch((thrown: unknown) =>
        options.report?.(toStewardError(thrown), sessionId),
      ),
  })

  /** Brings the files of a session here, once for each time that it is opened. */
  const arrive = async (session: HandsSession): Promise<readonly string[]> => {
    const { files } = options
    if (files === undefined) return []
    const before = arrived.get(session.id)
    if (before?.session === session) {
      await before.notes
      return []
    }
    const folder = locateSession(options.home, session.id)
    const leave = () => releaseInTurn(session.id, 'keep')
    const coming = Promise.resolve(saving.get(session.id)).then(() =>
      files.arrive(session.id, folder, leave),
    )
    const notes = coming.then((arrival) => {
      for (const loss of arrival.losses) options.onLoss?.(session.id, loss)
      return arrival.notes
    })
    arrived.set(session.id, { session, notes })
    return notes.catch((thrown: unknown) => {
      arrived.delete(session.id)
      options.onLoss?.(session.id, toStewardError(thrown).message)
      throw thrown
    })
  }

  const saveInTurn = (sessionId: string): void => {
    const mine = Promise.resolve(saving.get(sessionId))
      .then(() => options.files?.save(sessionId, locateSession(options.home, sessionId)))
      .finally(() => {
        if (saving.get(sessionId) === mine) saving.delete(sessionId)
      })
    saving.set(sessionId, mine)
  }

  return {
    execute: async (session, call, signal) => {
      signal.throwIfAborted()
      checkOpen()
      const act = outside.get(call.name)
      if (act !== undefined) return act(session, call, signal)
      const notes = await arrive(session)
      await releasing.get(session.id)
      // The hands may have been closed meanwhile, and nothing would end a sandbox created now.
      checkOpen()
      const held =
        sessions.get(session.id) ??
        createSessionHands({
          ...{ driver, limits, diskWatch, surround: options.surround ?? provisionNothing },
          folder: locateSession(options.home, session.id),
        })
      sessions.set(session.id, held)
      const outcome = await idle.during(session.id, () => held.execute(session, call, signal))
      // The turn of another thread ended meanwhile, and what was saved then may lack this call's changes.
      const isSaved = !signal.aborted && !arrived.has(session.id)
      return withNotes(isSaved ? [...notes, ...(await arrive(session))] : notes, outcome)
    },
    save: async (sessionId) => {
      // Only what was touched here since the last time.
      if (arrived.delete(sessionId)) saveInTurn(sessionId)
      await saving.get(sessionId)
    },
    release: releaseInTurn,
    describe: () => driver.report,
    close: async () => {
      isClosed = true
      await Promise.all([...sessions.keys()].map((id) => release(id, 'keep')))
      await Promise.all(releasing.values())
      diskWatch.close()
      await close()
    },
  }
}

const withNotes = (notes: readonly string[], outcome: ToolOutcome): ToolOutcome =>
  notes.length === 0
    ? outcome
    : {
        ...outcome,
        content: [
          ...notes.map((note) => ({ type: 'text' as const, text: `[${note}]` })),
          ...outcome.content,
        ],
      }
