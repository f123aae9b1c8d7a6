import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { z } from 'zod'
import { measureHere, type Round } from './measure.ts'

const roundReport = z.object({
  runsPerSecond: z.number(),
  p50Us: z.number(),
  firstSecond: z.number(),
})

interface Load {
  url: string
  token: string
  body: string
  atATime: number
}

/** The load comes from a separate process, so that it does not share our event loop. */
export const measureLoad = async (load: Load): Promise<Round> => {
  const child = fork(import.meta.filename, [JSON.stringify(load)])
  try {
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the load ended with code ${code} before it had measured`)
    })
    const [measured] = await Promise.race([once(child, 'message'), ended])
    return roundReport.parse(measured)
  } finally {
    child.kill()
  }
}

const sendLoad = async ({ url, token, body, atATime }: Load): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: atATime })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const post = async (): Promise<void> => {
    const sent = request(url, { method: 'POST', agent, headers })
    sent.end(body)
    const [answer] = await once(sent, 'response')
    answer.resume()
    await once(answer, 'end')
    if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}`)
  }
  process.send?.(await measureHere(post, atATime))
}

if (import.meta.main) {
  const [load = ''] = process.argv.slice(2)
  await sendLoad(JSON.parse(load))
}
