import { fail, type Result, StewardError } from '@steward/contract'
import type { BubblewrapFeatures } from './bubblewrap-arguments.ts'
import { explainFailure } from './explain-failure.ts'
import { DEFAULT_PATH, findCommand } from './find-command.ts'
import { runProcess } from './run-process.ts'

export interface InstalledBubblewrap {
  /** The absolute path of `bwrap`. */
  bwrap: string
  features: BubblewrapFeatures
}

const HELP_TIMEOUT_MS = 10_000

/**
 * Finds bubblewrap and hands it to `open`, which must really run a program with it. Where that fails,
 * the error says why and what would help.
 */
export const detectBubblewrap = async <Opened>(
  path: string,
  open: (installed: InstalledBubblewrap) => Promise<Result<Opened>>,
): Promise<Result<Opened>> => {
  const found = findCommand('bwrap', `${path}:${DEFAULT_PATH}`)
  if (!found.ok) return sandboxUnavailable('bubblewrap is not installed', found.error)
  const opened = await open({ bwrap: found.value, features: await readFeatures(found.value) })
  if (opened.ok) return opened
  const { reason } = opened.error.details
  const said = typeof reason === 'string' ? reason : opened.error.message
  return sandboxUnavailable(explainFailure(said), opened.error)
}

/** As its own help says. Whether it works at all is found out by running something with it. */
const readFeatures = async (bwrap: string): Promise<BubblewrapFeatures> => {
  const options = { cwd: '/', env: {}, timeoutMs: HELP_TIMEOUT_MS, maxOutputBytes: 100_000 }
  const help = await runProcess(bwrap, ['--help'], options).then(
    ({ stdout }) => stdout,
    () => '',
  )
  return { size: help.includes('--size '), disableUserns: help.includes('--disable-userns') }
}

export const sandboxUnavailable = (reason: string, cause?: unknown): Result<never> =>
  fail(new StewardError('sandbox_unavailable', { reason }, cause))
