import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type NotifyRequest, notifyRequest, parseJson, unwrap } from '@steward/contract'
import { createDaemonClient } from '@steward/contract/client'
import { rememberTab, type TabTarget, tabTarget } from '@steward/notify'
import { findDaemon, readIfPresent, resolveHome } from '@steward/platform'
import { z } from 'zod'
import type { Io } from '../../io.ts'

/** The data for the background process. */
export interface Posting {
  request: NotifyRequest
  /** The tab of the request's session. */
  tab?: TabTarget
}

const posting = z.object({ request: notifyRequest, tab: tabTarget.optional() })

const ANSWER_MS = 10_000

/**
 * Starts a detached process that posts the announcement and outlives this one; its output is
 * discarded. The text is passed in a private file that is removed immediately.
 */
export const postInBackground = (io: Io, what: Posting): void => {
  const program = process.argv[1]
  if (program === undefined) return
  const folder = mkdtempSync(join(tmpdir(), 'steward-announce-'))
  try {
    const path = join(folder, 'posting.json')
    writeFileSync(path, JSON.stringify(what), { mode: 0o600, flag: 'wx' })
    const file = openSync(path, 'r')
    try {
      const child = spawn(process.execPath, [...process.execArgv, program, 'announce', '--post'], {
        detached: true,
        stdio: [file, 'ignore', 'ignore'],
        env: io.env,
      })
      // If no process can be started, the line is printed and not spoken.
      child.once('error', ({ message }) => io.err.write(`not spoken: ${message}\n`))
      child.unref()
    } finally {
      closeSync(file)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The background process. Its output is not visible; without a daemon it does nothing. */
export const postNow = async (io: Io): Promise<void> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk))
  const parsed = unwrap(parseJson(Buffer.concat(chunks).toString(), 'standard input'))
  const { request, tab } = posting.parse(parsed)
  const home = resolveHome(io.env, io.homedir)
  const daemon = await findDaemon(home)
  if (daemon === undefined) return
  if (tab !== undefined && request.session_id !== undefined) {
    const remembered = await rememberTab(home, request.session_id, tab, io.now())
    if (!remembered.ok) io.err.write(`${remembered.error.message}\n`)
  }
  const client = createDaemonClient({
    base: daemon.address,
    fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_MS) }),
    ...(await readToken(home.token)),
  })
  await client.call('notify', { body: request })
}

/** Only strict mode asks for it: without one, the daemon says whether it is missing. */
const readToken = async (path: string): Promise<{ token?: string }> => ({
  token: (await readIfPresent(path))?.trim(),
})
