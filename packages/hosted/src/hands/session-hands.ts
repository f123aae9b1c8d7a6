import { StewardError, toStewardError } from '@steward/contract'
import type { DiskWatch, Watched } from './disk/disk-watch.ts'
import { type DiskUse, measureFolder } from './disk/measure.ts'
import type { HandsSession, ToolCall, ToolOutcome } from './hands.ts'
import type { SandboxLimits } from './sandbox/limits/limits.ts'
import type { Sandbox, SandboxDriver } from './sandbox/sandbox.ts'
import { type PersistentShell, startShell } from './shell/persistent-shell.ts'
import type { ProvisionedSession, ProvisionSession, SandboxFactory } from './surroundings.ts'
import { callTool } from './tools/call-tool.ts'
import { refuse, SandboxGone } from './tools/tool.ts'

export interface SessionHandsOptions {
  driver: SandboxDriver
  limits: SandboxLimits
  surround: ProvisionSession
  diskWatch: DiskWatch
  /** The session's folder on the host. */
  folder: string
}

/** The hands of one session. */
export interface SessionHands {
  execute(session: HandsSession, call: ToolCall, signal: AbortSignal): Promise<ToolOutcome>
  end(): Promise<void>
}

interface Live {
  sandbox: Sandbox
  surroundings: ProvisionedSession
  /** The resources it was made with. */
  mounts: string
  /** Calls in progress. */
  calls: number
  /** By thread. */
  shells: Map<string, PersistentShell>
  watched: Watched | undefined
  /** Its disk use when it exceeded the limit; from then on nothing can be written. */
  full: DiskUse | undefined
}

/**
 * How far a session may exceed its limit before it is refused for good: more than can be written
 * between two checks of the watcher, because otherwise a small limit would leave no way to delete
 * anything.
 */
const OVERSHOOT = { bytes: 1024 ** 3, entries: 100_000 }

export const createSessionHands = (options: SessionHandsOptions): SessionHands => {
  const { driver, limits, folder } = options
  const ending = new AbortController()
  let live: Promise<Live> | undefined
  /** The result of `live`; a call of a removed sandbox must not replace its successor. */
  let current: Live | undefined
  /** The last call of each thread's shell. */
  const queues = new Map<string, Promise<unknown>>()
  let syncing: Promise<unknown> = Promise.resolve()
  const leaving = new Map<Live, Promise<void>>()
  const factory: SandboxFactory = {
    driver: driver.report.driver,
    network: driver.report.network,
    provision: (spec) => driver.provision(spec, limits),
    watchDisk: (watched, onOver) =>
      options.diskWatch.watch(watched, allowedDisk(limits, undefined), onOver),
  }

  const provision = async (session: HandsSession): Promise<Live> => {
    // A sandbox that is being removed must be gone before the next starts, because both use the
    // same folder.
    await Promise.all(leaving.values())
    const surroundings = await options.surround(session, folder, ending.signal, factory)
    let sandbox: Sandbox | undefined
    try {
      const use = await measureFolder(folder).catch(() => ({ bytes: 0, entries: 0 }))
      const full = isOver(use, limits) ? use : undefined
      if (isHopeless(use, limits))
        throw new StewardError('sandbox_unavailable', { reason: describeFull(use, limits) })
      const spec = { sessionId: session.id, workspace: folder, ...surroundings.parts }
      sandbox = await driver.provision(spec, full ? { ...limits, fileBytes: 0 } : limits)
      await surroundings.settle?.(sandbox, ending.signal)
      const made: Live = {
        sandbox,
        surroundings,
        mounts: idsOf(session),
        calls: 0,
        shells: new Map(),
        watched: undefined,
        full,
      }
      made.watched = options.diskWatch.watch(folder, allowedDisk(limits, full), (over) => {
        made.full = over
        void leave(made)
      })
      current = made
      return made
    } catch (thrown) {
      await sandbox?.destroy()
      await surroundings.close()
      throw thrown
    }
  }

  /** Removes the sandbox; the next call gets a new one. */
  const leave = (gone: Live): Promise<void> => {
    const before = leaving.get(gone)
    if (before !== undefined) return before
    if (current !== gone) return Promise.resolve()
    live = undefined
    current = undefined
    const left = endLive(gone).finally(() => leaving.delete(gone))
    leaving.set(gone, left)
    return left
  }

  const act = async (session: HandsSession, call: ToolCall, signal: AbortSignal) => {
    signal.throwIfAborted()
    ending.signal.throwIfAborted()
    const hasOthers = current !== undefined && current.mounts !== idsOf(session)
    // A call in progress keeps its sandbox; the resources follow with a later call.
    const isReplaced = hasOthers && current?.calls === 0
    if (isReplaced && current !== undefined) await leave(current)
    live ??= provision(session)
    const mine = live
    const made = await mine.catch((thrown: unknown) => {
      if (live === mine) live = undefined
      return toStewardError(thrown, 'sandbox_unavailable')
    })
    if (made instanceof StewardError)
      return refuse(`the sandbox could not be started: ${made.message}`)
    made.calls += 1
    const called = await callTool(call, {
      sandbox: made.sandbox,
      callId: call.id,
      signal: AbortSignal.any([signal, ending.signal]),
      takeShell: () => {
        const open = made.shells.get(shellOf(session))
        if (open !== undefined && !open.isOver) return open
        const shell = startSessionShell(made.sandbox)
        made.shells.set(shellOf(session), shell)
        return shell
      },
      endShell: async () => {
        await made.shells.get(shellOf(session))?.end()
        made.shells.delete(shellOf(session))
      },
    })
      .catch(async (thrown: unknown) => {
        if (!(thrown instanceof SandboxGone)) throw thrown
        await leave(made)
        return refuse(`the sandbox is gone: ${thrown.message}; the next call gets a new one`)
      })
      .finally(() => {
        made.calls -= 1
      })
    const outcome =
      isReplaced && call.name === 'bash'
        ? { ...called, content: [RESOURCES_CHANGED, ...called.content] }
        : called
    const synced = await withNotes(made, outcome)
    return made.full === undefined ? synced : afterFull(made, synced)
  }

  /** One exchange at a time, although calls may overlap. */
  const withNotes = async (made: Live, outcome: ToolOutcome): Promise<ToolOutcome> => {
    const { sync } = made.surroundings
    if (sync === undefined || current !== made) return outcome
    const exchange = syncing.then(() => sync(made.sandbox, ending.signal))
    syncing = exchange.catch(() => undefined)
    const notes = await exchange.catch((thrown: unknown) => [
      `the memory could not be saved: ${toStewardError(thrown).message}`,
    ])
    const content = notes.map((note) => ({ type: 'text' as const, text: `[${note}]` }))
    return { ...outcome, content: [...outcome.content, ...content] }
  }

  const afterFull = async (made: Live, outcome: ToolOutcome): Promise<ToolOutcome> => {
    const use = await measureFolder(folder)
    if (!isOver(use, limits)) {
      await leave(made)
      return outcome
    }
    const note = { type: 'text' as const, text: `[${describeFull(use, limits)}]` }
    return { content: [...outcome.content, note], isError: true }
  }

  return {
    execute: (session, call, signal) => {
      if (call.name !== 'bash') return act(session, call, signal)
      const before = queues.get(shellOf(session)) ?? Promise.resolve()
      const result = before.then(() => act(session, call, signal))
      queues.set(
        shellOf(session),
        result.catch(() => undefined),
      )
      return result
    },
    end: async () => {
      ending.abort(new StewardError('sandbox_unavailable', { reason: 'the session was released' }))
      const made = await live?.catch(() => undefined)
      if (made !== undefined) await leave(made)
      await Promise.all(leaving.values())
    },
  }
}

const RESOURCES_CHANGED = {
  type: 'text' as const,
  text: '[the resources of this session changed, so this is a new shell: programs that ran in the old one have ended]',
}

const idsOf = ({ mounts }: HandsSession): string =>
  mounts.map(({ id, path }) => `${id} ${path}`).join('\n')

const startSessionShell = (sandbox: Sandbox): PersistentShell =>
  startShell(() => sandbox.start(['/bin/bash', '--noprofile', '--norc'], { companions: true }))

const shellOf = ({ threadId }: HandsSession): string => threadId ?? 'primary'

const endLive = async ({ sandbox, surroundings, shells, watched }: Live): Promise<void> => {
  watched?.stop()
  await Promise.all([...shells.values()].map((shell) => shell.end()))
  await sandbox.destroy()
  await surroundings.close()
}

const isOver = (use: DiskUse, { diskBytes, diskEntries }: SandboxLimits): boolean =>
  use.bytes > diskBytes || use.entries > diskEntries

const isHopeless = (use: DiskUse, { diskBytes, diskEntries }: SandboxLimits): boolean =>
  use.bytes > diskBytes + Math.max(diskBytes, OVERSHOOT.bytes) ||
  use.entries > diskEntries + Math.max(diskEntries, OVERSHOOT.entries)

/** A session that is already full may keep its data, so that files can be deleted, but not grow. */
const allowedDisk = (limits: SandboxLimits, full: DiskUse | undefined): DiskUse => ({
  bytes: Math.max(limits.diskBytes, full?.bytes ?? 0),
  entries: Math.max(limits.diskEntries, full?.entries ?? 0),
})

const describeFull = (use: DiskUse, limits: SandboxLimits): string =>
  `the session's files exceed their limit: ${use.bytes} of ${limits.diskBytes} bytes, ${use.entries} of ${limits.diskEntries} files and folders; nothing can be written until some are deleted`
