import { spawn } from 'node:child_process'
import { Agent, request } from 'node:http'
import { z } from 'zod'
import { ITEM, TOKEN } from './bench-home.ts'

const CONNECTIONS = 8

const loadReport = z.object({
  requests: z.number(),
  rps: z.number(),
  p99Ms: z.number(),
  errors: z.number(),
})
/** The result of a number of calls. */
export type Load = z.infer<typeof loadReport>

export const summarize = (timesMs: number[], durationMs: number, errors: number): Load => ({
  requests: timesMs.length,
  rps: (timesMs.length / durationMs) * 1000,
  p99Ms: timesMs.toSorted((a, b) => a - b)[Math.floor(timesMs.length * 0.99)] ?? 0,
  errors,
})

/** The requests come from a separate process; it ends at `count` or at the time limit. */
export const load = (url: string | undefined, count: number, limitMs: number): Promise<Load> =>
  new Promise((resolve, reject) => {
    const args = [import.meta.filename, String(url), String(count), String(limitMs)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (chunk: Uint8Array) => {
      text += Buffer.from(chunk).toString()
    })
    child.once('error', reject)
    child.once('close', () => resolve(loadReport.parse(JSON.parse(text))))
  })

const generateLoad = async (url: string, count: number, limitMs: number): Promise<Load> => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const body = JSON.stringify(ITEM)
  const timesMs: number[] = []
  let errors = 0
  let left = count
  const startedAt = performance.now()
  const work = async () => {
    while (left-- > 0) {
      const at = performance.now()
      if (at - startedAt > limitMs) break
      const status = await postOnce(url, body, agent)
      if (status >= 300) errors += 1
      timesMs.push(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  const durationMs = performance.now() - startedAt
  agent.destroy()
  return summarize(timesMs, durationMs, errors)
}

const postOnce = (url: string, body: string, agent: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-length': Buffer.byteLength(body) }
    const outgoing = request(url, { method: 'POST', agent, headers }, (incoming) => {
      incoming.resume()
      incoming.once('end', () => resolve(incoming.statusCode ?? 0))
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })

if (import.meta.main) {
  const [url = '', count, limitMs] = process.argv.slice(2)
  console.log(JSON.stringify(await generateLoad(url, Number(count), Number(limitMs))))
}
