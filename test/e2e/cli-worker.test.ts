import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cli, createCli } from './cli-process.ts'
import { CLONE_LAUNCHER } from './launcher.ts'

let cli: Cli
let server: Server
const seen: unknown[] = []

/** Stands in for the deployed workers, with the responses of the platform and of our workers. */
beforeAll(async () => {
  cli = createCli(CLONE_LAUNCHER)
  server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const input = JSON.parse(Buffer.concat(chunks).toString())
    seen.push({ method: request.method, auth: request.headers.authorization, input })
    const answer = (status: number, body: unknown) =>
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
    if (request.headers.authorization !== 'Bearer good') {
      return answer(401, { success: false, error: 'Unauthorized' })
    }
    if (request.url !== '/here') return answer(404, 'There is nothing here yet')
    if (input.fail) {
      return answer(500, {
        success: false,
        error: 'A_COUNT_WORDS failed: no',
        code: 'action_failed',
      })
    }
    return answer(200, {
      success: true,
      action: 'A_COUNT_WORDS',
      duration_ms: 1,
      output: { words: 2 },
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const base = `http://127.0.0.1:${address.port}`
  cli.write(
    'settings.json',
    JSON.stringify({
      edge: {
        workers: { 'exec-a-count-words': `${base}/here`, 'exec-a-lose-way': `${base}/gone` },
      },
    }),
  )
})
afterAll(() => {
  server.close()
  cli.remove()
})

const run = (name: string, token: string, ...args: string[]) =>
  cli.run(['run', name, ...args], { env: { AUTH_TOKEN: token } })

describe('steward run on a deployed worker', () => {
  it('posts the input with the bearer token and prints the bare output', async () => {
    const { code, stdout, stderr } = await run('A_COUNT_WORDS', 'good', '--content', 'a b')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"words":2}\n' })
    expect(stderr).toMatch(/exec-a-count-words answered/)
    expect(stderr).not.toMatch(/good/)
    expect(seen.at(-1)).toEqual({ method: 'POST', auth: 'Bearer good', input: { content: 'a b' } })
  })

  it('explains a wrong token, a missing worker, and a failed run', async () => {
    const wrong = await run('A_COUNT_WORDS', 'bad', '{}')
    expect(wrong.code).toBe(5)
    expect(wrong.stderr).toMatch(/401 unauthorized: AUTH_TOKEN is not set on exec-a-count-words/)
    const gone = await run('A_LOSE_WAY', 'good', '{}')
    expect(gone.code).toBe(3)
    expect(gone.stderr).toMatch(/worker not found: exec-a-lose-way/)
    const failed = await run('A_COUNT_WORDS', 'good', '--fail')
    expect(failed.code).toBe(1)
    expect(failed.stderr).toMatch(/A_COUNT_WORDS failed: no\n {2}code: action_failed/)
  })
})
