import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StewardError, toStewardError } from '@steward/contract'

const PROBE_TIMEOUT_MS = 10_000
const PROBE_OUTPUT_BYTES = 10_000

export interface ProbeOptions {
  /** A folder that is there for as long as the probe takes. */
  folder: string
  timeoutMs: number
  maxOutputBytes: number
}

/** Runs a program that must succeed inside of a sandbox; what went wrong, or nothing. */
export const probeSandbox = async (
  run: (options: ProbeOptions) => Promise<{ code: number; timedOut: boolean; said: string }>,
): Promise<StewardError | undefined> => {
  const folder = await mkdtemp(join(tmpdir(), 'steward-probe-'))
  try {
    const { code, timedOut, said } = await run({
      folder,
      timeoutMs: PROBE_TIMEOUT_MS,
      maxOutputBytes: PROBE_OUTPUT_BYTES,
    })
    if (code === 0) return undefined
    const reason = timedOut ? 'it does not answer' : said.trim() || `it ended with code ${code}`
    return new StewardError('sandbox_unavailable', { reason })
  } catch (thrown) {
    return toStewardError(thrown, 'sandbox_unavailable')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
