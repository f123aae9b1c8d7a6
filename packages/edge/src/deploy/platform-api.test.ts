import { createServer } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findAccount } from './open-platform.ts'
import { apiOf } from './testing/api-of.ts'
import {
  type PlatformStandIn,
  STAND_IN_ACCOUNT,
  STAND_IN_TOKEN,
  startPlatformStandIn,
} from './testing/platform-stand-in.ts'

let platform: PlatformStandIn
beforeEach(async () => {
  platform = await startPlatformStandIn()
})
afterEach(() => platform.close())

/** Responds to each call with the next of these. */
const answering = async (...answers: [status: number, body: string, retryAfter?: string][]) => {
  const server = createServer((_, response) => {
    const [status, body, retryAfter] = answers.shift() ?? [500, '']
    response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { baseUrl: `http://127.0.0.1:${address.port}`, close: () => server.close() }
}

describe('the API client', () => {
  it('says what to do when the login is rejected', async () => {
    await expect(apiOf(platform, { token: 'other' }).listScripts()).rejects.toThrow(
      /login to the platform is not configured: .*401: Authentication error \(10000\)\. Log in again/,
    )
  })

  it('waits as long as the platform asks, and then gives up', async () => {
    const waits: number[] = []
    const sleep = async (ms: number) => waits.push(ms)
    const ok = JSON.stringify({ success: true, errors: [], result: [{ id: 'exec-a-x' }] })
    const busy = await answering([429, '', '7'], [503, ''], [200, ok])
    expect(await apiOf(busy, { sleep }).listScripts()).toEqual([{ id: 'exec-a-x' }])
    expect(waits).toEqual([7000, 1000])
    busy.close()
    const stuck = await answering([429, ''], [429, ''], [429, ''], [429, ''])
    await expect(apiOf(stuck, { sleep }).listScripts()).rejects.toMatchObject({
      code: 'rate_limited',
    })
    stuck.close()
  })

  it.each([
    ['no JSON', '<html>', /HTTP 200/],
    ['another shape', '{"success":true,"errors":[],"result":{"a":1}}', /unexpected answer/],
    ['a refusal with 200', '{"success":false,"errors":[{"message":"no"}],"result":null}', /no/],
  ])('reports a response that is %s', async (_, body, message) => {
    const odd = await answering([200, body])
    const call = apiOf(odd).listScripts()
    await expect(call).rejects.toMatchObject({ code: 'upstream_failed' })
    await expect(call).rejects.toThrow(message)
    odd.close()
  })

  it('reports that it cannot be reached', async () => {
    const gone = await answering()
    gone.close()
    await expect(apiOf(gone).listScripts()).rejects.toThrow(/cannot be reached: .*ECONNREFUSED/)
  })

  it('reads all pages of queues', async () => {
    const page = (name: string) =>
      JSON.stringify({
        success: true,
        errors: [],
        result: [{ queue_name: name }],
        result_info: { total_pages: 2 },
      })
    const pages = await answering([200, page('one')], [200, page('two')])
    expect([...(await apiOf(pages).resources.listQueues()).keys()]).toEqual(['one', 'two'])
    pages.close()
  })
})

describe('findAccount', () => {
  const access = () => ({
    baseUrl: platform.baseUrl,
    token: STAND_IN_TOKEN,
    fetch,
    sleep: async () => undefined,
    signal: new AbortController().signal,
  })

  it('uses the configured account, otherwise the only one of the login', async () => {
    expect(await findAccount(access(), 'mine')).toBe('mine')
    expect(await findAccount(access(), undefined)).toBe(STAND_IN_ACCOUNT)
  })

  it('asks the user to choose between several', async () => {
    const accounts = [
      { id: '1', name: 'Home' },
      { id: '2', name: 'Work' },
    ]
    const two = await answering([200, JSON.stringify({ success: true, result: accounts })])
    await expect(findAccount({ ...access(), baseUrl: two.baseUrl }, undefined)).rejects.toThrow(
      /1 \(Home\), 2 \(Work\); set edge\.accountId/,
    )
    two.close()
  })
})
