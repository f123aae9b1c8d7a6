import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDaemonClient, reasonOf, StewardError } from '@steward/contract'
import { type Home, readIfPresent, readToken, resolveHome } from '@steward/platform'
import { askDemoRequest } from './ask-demo-request.ts'
import { playDemoDay } from './play-demo-day.ts'
import { demoPerson, writeDemoDay } from './write-demo-day.ts'

/** A daemon on the data home of the demo. */
export interface DemoProcess {
  address: string
  stop: () => Promise<void>
}

export interface DemoPorts {
  home: Home
  now: () => number
  /** Starts a daemon on this data home, for a person whose assistants are in the other folder. */
  startDaemon: (home: Home, person: string) => Promise<DemoProcess>
}

/** Older days are written again, because pages show today. */
const FRESH_MS = 12 * 3_600_000

/**
 * The demo day: a data home of its own inside the person's, with a daemon of its own. Nothing of it
 * can reach the person's history, budgets or notifications, and removing it is removing a folder.
 */
export const createDemoKeeper = ({ home, now, startDaemon }: DemoPorts) => {
  const root = join(home.root, 'demo')
  const demo = resolveHome({ STEWARD_HOME: root })
  const mark = join(root, 'loaded-at')
  let running: Promise<DemoProcess> | undefined
  let asking = new AbortController()

  const loadedAtMs = async (): Promise<number | undefined> => {
    const text = await readIfPresent(mark)
    return text === undefined ? undefined : Number(text)
  }
  const clientOf = async (address: string) =>
    createDaemonClient({ base: address, fetch, token: await readToken(demo.token) })
  const stop = async (): Promise<void> => {
    const before = running
    running = undefined
    asking.abort()
    await (await before?.catch(() => undefined))?.stop()
  }
  const clear = async (): Promise<void> => {
    await stop()
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  }
  const begin = async (): Promise<DemoProcess> => {
    const atMs = await loadedAtMs()
    const isFresh = atMs !== undefined && now() - atMs < FRESH_MS
    if (isFresh) return startDaemon(demo, demoPerson(demo))
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
    await writeDemoDay(demo, now())
    const started = await startDaemon(demo, demoPerson(demo))
    try {
      await playDemoDay(await clientOf(started.address))
      await writeFile(mark, String(now()))
    } catch (thrown) {
      await started.stop()
      throw thrown
    }
    return started
  }
  /** The assistant that waits for an answer, until the demo stops. */
  const beginAsking = async ({ address }: DemoProcess): Promise<void> => {
    asking = new AbortController()
    const { signal } = asking
    const client = createDaemonClient({
      base: address,
      fetch: (url, init) => fetch(url, { ...init, signal }),
      token: await readToken(demo.token),
    })
    void askDemoRequest({ home: demo, client, now, signal })
  }
  const start = (): Promise<DemoProcess> => {
    running ??= begin()
      .then(async (started) => {
        await beginAsking(started)
        return started
      })
      .catch((thrown) => {
        running = undefined
        throw thrown
      })
    return running
  }

  return {
    isLoaded: async () => running !== undefined || (await loadedAtMs()) !== undefined,
    /** Loads it, or opens the loaded one; returns an address that signs a browser in. */
    open: async (): Promise<string> => {
      try {
        const { address } = await start()
        const client = await clientOf(address)
        const { code } = await client.call('createAuthCode', { body: {} })
        return client.urlOf('signIn', { query: { code } })
      } catch (thrown) {
        throw new StewardError(
          'module_failed',
          { module: 'demo', reason: reasonOf(thrown) },
          thrown,
        )
      }
    },
    remove: clear,
    /** Starts a loaded demo again. */
    resume: async (): Promise<void> => {
      if ((await loadedAtMs()) !== undefined) await start()
    },
    stop,
  }
}
