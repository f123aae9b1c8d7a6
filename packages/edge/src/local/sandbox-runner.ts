import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ok, type Result, reasonOf } from '@steward/contract'
import type { Sandbox } from '@steward/platform'
import type { SandboxRunner } from './sandbox-worker.ts'

const OUTPUT_BYTES = 64 * 1024
/** The longest delay of a timer; idle processes are stopped much sooner. */
const LONGEST_RUN_MS = 2 ** 31 - 1
const LAST_WORDS_CHARS = 500

/** Runs a worker's `container.js` in the sandbox of this machine, listening on a socket in its one folder. */
export const createSandboxRunner = (
  sandbox: () => Promise<Result<Sandbox>>,
  dataFolder: string,
): SandboxRunner => ({
  start: async ({ directory, environment, network }) => {
    const detected = await sandbox()
    if (!detected.ok) return detected
    // The path of a socket may have at most 100 characters.
    const folder = await mkdtemp(join(tmpdir(), 'steward-box-'))
    const socketPath = join(folder, 'socket')
    const stopping = new AbortController()
    const argv = [
      process.execPath,
      '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
      join(directory, 'container.js'),
    ]
    const ended = detected.value
      .run(argv, {
        cwd: folder,
        env: {
          ...environment,
          PATH: process.env.PATH ?? '',
          SOCKET_PATH: socketPath,
          DATA_DIR: dataFolder,
          ISOLATION: detected.value.isolation,
        },
        timeoutMs: LONGEST_RUN_MS,
        network,
        maxOutputBytes: OUTPUT_BYTES,
        signal: stopping.signal,
        readOnlyPaths: [directory, dataFolder],
      })
      .then(
        ({ code, stderr }) => `code ${code}: ${stderr.slice(-LAST_WORDS_CHARS).trim()}`,
        (thrown: unknown) => reasonOf(thrown),
      )
      .finally(() => rm(folder, { recursive: true, force: true }))
    return ok({
      socketPath,
      ended,
      stop: async () => {
        stopping.abort(new Error('stopped'))
        await ended
      },
    })
  },
})
