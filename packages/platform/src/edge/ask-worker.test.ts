import { createServer, type RequestListener, type Server } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { askWorker } from './ask-worker.ts'

let server: Server | undefined
afterEach(() => server?.close())

const serve = async (listener: RequestListener): Promise<string> => {
  const started = createServer(listener)
  server = started
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  const address = started.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}/`
}

const answer = (status: number, body: string) =>
  serve((_, response) => response.writeHead(status).end(body))

const ask = (url: string) =>
  askWorker(
    { worker: 'exec-a-count-words', url, token: 'secret-token' },
    { content: 'x' },
    { fetch, signal: new AbortController().signal },
  )

describe('askWorker', () => {
  it('posts the input as JSON with the bearer token', async () => {
    const url = await serve(async (request, response) => {
      const chunks: Uint8Array[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { method, headers } = request
      const echoed = { method, auth: headers.authorization, body: Buffer.concat(chunks).toString() }
      response.end(JSON.stringify({ success: true, output: echoed }))
    })
    expect((await ask(url)).body.output).toEqual({
      method: 'POST',
      auth: 'Bearer secret-token',
      body: '{"content":"x"}',
    })
  })

  it.each([
    [404, 'error code: 1042', 'worker_not_found'],
    [500, '<html>oh</html>', 'upstream_failed'],
    [200, 'not json', 'upstream_failed'],
    [404, '{"error":"Not found"}', 'worker_not_found'],
    [429, 'error code: 1015', 'rate_limited'],
    [529, 'overloaded', 'model_overloaded'],
  ])('names what a %i without an answer of ours means', async (status, body, code) => {
    await expect(ask(await answer(status, body))).rejects.toMatchObject({ code })
  })

  it.each([
    [500, 'error code: 1101', /threw an exception .*steward workers logs/],
    [503, 'error code: 1102', /CPU time \(1102\); the free plan allows 10 ms/],
    [429, 'error code: 1027', /daily request limit is used up/],
  ])("says what the platform's own %i page means: %s", async (status, body, message) => {
    await expect(ask(await answer(status, body))).rejects.toThrow(message)
  })

  it('says when to retry', async () => {
    const url = await serve((_, response) =>
      response.writeHead(429, { 'retry-after': '30' }).end('busy'),
    )
    await expect(ask(url)).rejects.toThrow(/try again in 30 s/)
  })

  it('passes on the error of a worker without codes', async () => {
    const body = { success: false, error: 'no' }
    expect(await ask(await answer(500, JSON.stringify(body)))).toEqual({ status: 500, body })
  })

  it('explains a 401, whatever its body', async () => {
    const { body } = await ask(await answer(401, 'no'))
    expect(body).toMatchObject({ success: false, code: 'unauthorized' })
    expect(body.error).toMatch(/AUTH_TOKEN is not set on exec-a-count-words, or differs from yours/)
  })

  it('passes on an error that the worker explains', async () => {
    const body = { success: false, error: 'A_X failed: no', code: 'action_failed' }
    expect(await ask(await answer(500, JSON.stringify(body)))).toEqual({ status: 500, body })
  })

  it('names the server that could not be reached', async () => {
    const url = await answer(200, '')
    server?.close()
    await expect(ask(url)).rejects.toThrow(/exec-a-count-words .*ECONNREFUSED/)
  })
})
