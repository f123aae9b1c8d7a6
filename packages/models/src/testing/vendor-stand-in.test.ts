import { describe, expect, it } from 'vitest'
import { spawnVendorStandIn, startVendorStandIn } from './vendor-stand-in.ts'

const ask = (url: string, prompt: string) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: prompt }] }),
  })

describe('the vendor stand-in', () => {
  it('runs as a separate process, is deterministic, and counts', async () => {
    const standIn = await spawnVendorStandIn({ script: [{ status: 500 }] })
    try {
      expect((await ask(standIn.url, 'a')).status).toBe(500)
      const [first, second] = [await ask(standIn.url, 'b'), await ask(standIn.url, 'b')]
      expect(await first.json()).toEqual(await second.json())
      expect(await standIn.countCalls()).toEqual({ count: 3, prompts: ['a', 'b', 'b'] })
    } finally {
      await standIn.stop()
    }
  })

  it('rejects what the vendors would reject', async () => {
    const standIn = await startVendorStandIn()
    const send = (headers: Record<string, string>, body: unknown) =>
      fetch(`${standIn.url}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(body) })
    const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' }
    const messages = [{ role: 'user', content: 'Hello' }]
    try {
      expect((await send({}, { model: 'm', max_tokens: 1, messages })).status).toBe(400)
      expect((await send(headers, { model: 'm', messages })).status).toBe(400)
      expect((await send(headers, { model: 'm', max_tokens: 1, messages: [] })).status).toBe(400)
      expect(standIn.calls).toHaveLength(0)
      expect((await send(headers, { model: 'm', max_tokens: 1, messages })).status).toBe(200)
      expect(standIn.calls).toHaveLength(1)
    } finally {
      await standIn.close()
    }
  })

  it('accepts a script over HTTP', async () => {
    const standIn = await startVendorStandIn()
    try {
      const body = JSON.stringify([{ text: 'scripted' }])
      await fetch(`${standIn.url}/__script`, { method: 'POST', body })
      expect(JSON.stringify(await (await ask(standIn.url, 'a')).json())).toContain('scripted')
    } finally {
      await standIn.close()
    }
  })
})
