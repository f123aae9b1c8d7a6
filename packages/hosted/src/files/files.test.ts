import type Anthropic from '@anthropic-ai/sdk'
import { BadRequestError, NotFoundError } from '@anthropic-ai/sdk'
import { hostedFile } from '@steward/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HOSTED_API_LIMITS } from '../serve/ports.ts'
import { startTestApi, type TestApi } from '../serve/testing/start-test-api.ts'
import { makeSession } from '../sessions/testing/make-session.ts'

let server: TestApi
let files: Anthropic.Beta.Files
beforeAll(async () => {
  server = await startTestApi({
    limits: { ...HOSTED_API_LIMITS, fileBytes: 3 * 1024 * 1024 },
  })
  files = server.client.beta.files
})
afterAll(() => server.stop())

const upload = (content: BlobPart, name = 'notes.txt', expires_in_seconds?: number) =>
  files.upload({
    file: new File([content], name, { type: 'text/plain' }),
    ...(expires_in_seconds === undefined ? {} : { expires_in_seconds }),
  })

test('is returned byte for byte, even when it is large', async () => {
  const bytes = new Uint8Array(2_500_000).map((_, index) => index % 251)
  const made = await upload(bytes, 'größe.bin')
  expect(hostedFile.parse(made)).toMatchObject({
    filename: 'größe.bin',
    mime_type: 'text/plain',
    size_bytes: bytes.length,
  })
  const content = await files.download(made.id)
  expect(Buffer.compare(Buffer.from(await content.arrayBuffer()), Buffer.from(bytes))).toBe(0)
  expect(await files.retrieveMetadata(made.id)).toEqual(made)
  const empty = await upload('', 'empty.txt')
  expect(await (await files.download(empty.id)).text()).toBe('')
})

test('lists newest first, by ids, and with the paging of older clients', async () => {
  const ids: string[] = []
  for (let count = 0; count < 5; count++) {
    server.clock.nowMs += 1
    ids.unshift((await upload('x', `${count}.txt`)).id)
  }
  const listed: string[] = []
  for await (const file of files.list({ limit: 2 })) listed.push(file.id)
  expect(listed.slice(0, 5)).toEqual(ids)
  const chosen = await files.list({ ids: [ids[1] ?? '', ids[3] ?? '', 'file_none'] })
  expect(chosen.data.map(({ id }) => id)).toEqual([ids[1], ids[3]])
  const ask = async (query: string) => {
    const response = await fetch(`${server.address}/v1/files?${query}`, {
      headers: { 'x-api-key': server.key },
    })
    return response.json()
  }
  const older = await ask(`limit=2&after_id=${ids[0]}`)
  expect(older).toMatchObject({ has_more: true, first_id: ids[1], last_id: ids[2] })
  const newer = await ask(`limit=2&before_id=${ids[2]}`)
  expect(newer).toMatchObject({ has_more: false, first_id: ids[0], last_id: ids[1] })
})

test('expires, and can be deleted before', async () => {
  const made = await upload('soon', 'soon.txt', 3600)
  expect(made.expires_at).toBe(new Date(server.clock.nowMs + 3_600_000).toISOString())
  server.clock.nowMs += 3_600_000
  await expect(files.retrieveMetadata(made.id)).rejects.toBeInstanceOf(NotFoundError)
  const other = await upload('x')
  expect(await files.delete(other.id)).toMatchObject({ id: other.id, type: 'file_deleted' })
  await expect(files.download(other.id)).rejects.toBeInstanceOf(NotFoundError)
})

test('rejects invalid uploads', async () => {
  await expect(upload('x', 'a.txt', 5)).rejects.toBeInstanceOf(BadRequestError)
  const post = (body: BodyInit, type?: string) =>
    fetch(`${server.address}/v1/files`, {
      method: 'POST',
      body,
      headers: { 'x-api-key': server.key, ...(type === undefined ? {} : { 'content-type': type }) },
    })
  const empty = new FormData()
  empty.set('file', 'only text')
  expect((await post(empty)).status).toBe(400)
  expect((await post('{}', 'application/json')).status).toBe(400)
  expect((await post('rubbish', 'multipart/form-data; boundary=x')).status).toBe(400)
  await expect(upload('x'.repeat(4 * 1024 * 1024))).rejects.toMatchObject({ status: 413 })
})

test('outputs of a session have permanent ids', async () => {
  const { id } = await makeSession(server)
  const output = (path: string, text: string) => ({
    path,
    sizeBytes: text.length,
    modifiedMs: server.clock.nowMs,
    read: async () => new TextEncoder().encode(text),
  })
  server.outputs.set(id, [output('report/a.md', 'one'), output('b.csv', 'x')])
  const first = await files.list({ scope_id: id })
  expect(first.data.map(({ filename }) => filename).toSorted()).toEqual(['b.csv', 'report/a.md'])
  const report = first.data.find(({ filename }) => filename === 'report/a.md')
  expect(report).toMatchObject({ mime_type: 'text/markdown', scope: { type: 'session', id } })
  server.outputs.set(id, [output('report/a.md', 'longer')])
  const second = await files.list({ scope_id: id })
  expect(second.data).toMatchObject([{ id: report?.id, size_bytes: 6 }])
  expect(await (await files.download(report?.id ?? '')).text()).toBe('longer')
  server.outputs.set(id, [])
  await expect(files.download(report?.id ?? '')).rejects.toBeInstanceOf(NotFoundError)
  expect(server.failures).toEqual([])
})
