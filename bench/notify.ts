import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { holdLock } from '@steward/platform'
import { startDaemonProcess } from './daemon/daemon-process.ts'
import { median, percentile } from './daemon/median.ts'

type Print = (line: string) => void

const CALLS = 500
const ROUNDS = 3
const IDLE_CALLS = 200

/**
 * 500 concurrent announcements, each on disk before it is answered, compared with an idle `GET
 * /health` and with 500 of those, which is the cost of the connections alone.
 */
export const benchNotify = async (print: Print): Promise<void> => {
  const home = mkdtempSync(join(tmpdir(), 'steward-bench-'))
  // Holds the voice lock as another daemon would: only the way into the queue is measured, and the
  // machine stays silent.
  const voice = holdLock(join(home, '.local', 'state', 'steward', 'speech.lock'))
  const daemon = await startDaemonProcess(home)
  const token = readFileSync(join(home, 'token'), 'utf8').trim()
  // One connection per call, like hooks.
  const call = (path: string, body?: string) => timeCall(`${daemon.address}${path}`, body, token)
  const say = (message: string, kind?: string) =>
    call('/notify', JSON.stringify({ message, ...(kind === undefined ? {} : { kind }) }))
  const atOnce = (act: (index: number) => Promise<number>) =>
    Promise.all(Array.from({ length: CALLS }, (_, index) => act(index)))
  try {
    const idle: number[] = []
    const together: number[] = []
    const notify: number[] = []
    const errors: number[] = []
    // Alternating, so that other load affects all equally; the first round warms up.
    for (let round = 0; round <= ROUNDS; round++) {
      const one = []
      for (let count = 0; count < IDLE_CALLS; count++) one.push(await call('/health'))
      const many = await atOnce(() => call('/health'))
      const said = await atOnce((index) => say(`line ${round} ${index}`))
      await call('/api/voice/interrupt', JSON.stringify({ all: true }))
      const told = await atOnce((index) => say(`error ${round} ${index}`, 'error'))
      await call('/api/voice/interrupt', JSON.stringify({ all: true }))
      if (round === 0) continue
      idle.push(...one)
      together.push(...many)
      notify.push(...said)
      errors.push(...told)
    }
    print(`${CALLS} POST /notify at once, each on disk before its answer, ${ROUNDS} rounds`)
    const base = percentile(idle, 0.99)
    const rows: Array<[string, number[]]> = [
      ['GET /health, idle', idle],
      [`GET /health, ${CALLS} at once`, together],
      [`POST /notify, ${CALLS} at once`, notify],
      ['the same of kind error', errors],
    ]
    for (const [label, times] of rows) {
      const p99 = percentile(times, 0.99)
      print(
        `  ${label.padEnd(28)} p50 ${median(times).toFixed(1).padStart(7)} ms   p99 ${p99.toFixed(1).padStart(7)} ms   ${(p99 / base).toFixed(1)}x idle`,
      )
    }
    const share = percentile(notify, 0.99) / percentile(together, 0.99)
    print(`  p99 of /notify is ${share.toFixed(2)}x that of /health with as many callers`)
  } finally {
    await daemon.stop()
    voice?.release()
    rmSync(home, { recursive: true, force: true })
  }
}

/** From the call to the last byte of a successful answer, in milliseconds. */
const timeCall = (url: string, body: string | undefined, token: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const outgoing = request(
      url,
      {
        agent: false,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
      },
      (response) => {
        response.resume()
        response.once('error', reject)
        response.once('end', () => {
          if (response.statusCode === 200) resolve(performance.now() - startedAt)
          else reject(new Error(`${url} answered ${response.statusCode}`))
        })
      },
    )
    outgoing.once('error', reject)
    outgoing.end(body)
  })

if (import.meta.main) await benchNotify(console.log)
