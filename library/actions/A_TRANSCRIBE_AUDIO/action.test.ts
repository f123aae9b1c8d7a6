import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { LIMITS } from '@steward/contract'
import { createGuardedFetch } from '@steward/platform'
import { describe, expect, onTestFinished, test } from 'vitest'
import { shellWithCommand, shellWithoutCommands } from '../../lib/testing/installed-command.ts'
import { readBody, serveLoopback } from '../../lib/testing/loopback.ts'
import { type Parts, runAction } from '../../lib/testing/run-action.ts'
import manifest from './action.json' with { type: 'json' }
import * as action from './action.ts'

const MP3 = Buffer.from(`ID3${'speech'.repeat(40)}`)

/** A server for audio files, with or without byte ranges. */
const serveAudio = (bytes: Buffer, { ranges = true, type = 'audio/mpeg' } = {}) =>
  serveLoopback((request, response) => {
    response.setHeader('content-type', type)
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
    if (!ranges || range === null) return response.end(bytes)
    const from = Number(range[1])
    const to = Math.min(Number(range[2]), bytes.length - 1)
    if (from >= bytes.length) return response.writeHead(416).end()
    response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${bytes.length}` })
    response.end(bytes.subarray(from, to + 1))
  })

interface Heard {
  path: string | undefined
  headers: IncomingHttpHeaders
  model: unknown
  language: unknown
  name: string
  bytes: Buffer
}

/** A transcription server that records its requests. */
const serveTranscriber = async (text = ' Hello  there.\n General remarks. ') => {
  const heard: Heard[] = []
  const base = await serveLoopback(async (request, response) => {
    const type = request.headers['content-type'] ?? ''
    const form = await new Response(new Uint8Array(await readBody(request)), {
      headers: { 'content-type': type },
    }).formData()
    const file = form.get('file')
    if (!(file instanceof File)) return response.writeHead(400).end('no file')
    heard.push({
      path: request.url,
      headers: request.headers,
      model: form.get('model'),
      language: form.get('language'),
      name: file.name,
      bytes: Buffer.from(await file.arrayBuffer()),
    })
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ text }))
  })
  return { heard, base: `${base}/v1/` }
}

const transcribe = (input: Record<string, unknown>, secrets: Parts['secrets'], parts: Parts = {}) =>
  runAction(manifest, action, input, { capabilities: { fetch }, secrets: secrets ?? {}, ...parts })

describe('by a transcription server', () => {
  test('sends the whole file with key, model and language', async () => {
    const { heard, base } = await serveTranscriber()
    const url = await serveAudio(MP3)
    const answer = await transcribe(
      { url: `${url}/talk`, language: 'en', episode: 7 },
      { TRANSCRIBE_BASE_URL: base, TRANSCRIBE_API_KEY: 'k9', TRANSCRIBE_MODEL: 'large' },
    )
    expect(answer).toEqual({
      url: `${url}/talk`,
      language: 'en',
      episode: 7,
      content: 'Hello there.\nGeneral remarks.',
      source: 'openai-compatible:large',
      audio_bytes: MP3.length,
      truncated: false,
    })
    expect(heard[0]).toMatchObject({
      path: '/v1/audio/transcriptions',
      headers: { authorization: 'Bearer k9' },
      model: 'large',
      language: 'en',
      name: 'audio.mp3',
    })
    expect(heard[0]?.bytes.equals(MP3)).toBe(true)
  })

  test('a file of several parts arrives in order', async () => {
    const large = Buffer.alloc(9 * 1024 * 1024)
    for (let at = 0; at < large.length; at += 4096) large.writeUInt32LE(at, at)
    const { heard, base } = await serveTranscriber()
    const answer = await transcribe({ url: await serveAudio(large) }, { TRANSCRIBE_BASE_URL: base })
    expect(answer).toMatchObject({ audio_bytes: large.length, truncated: false })
    expect(heard[0]?.bytes.equals(large)).toBe(true)
  })

  test.each([true, false])(
    'beyond the limit only the first part is used (ranges: %s)',
    async (ranges) => {
      const huge = Buffer.alloc(LIMITS.audioBytes + 10)
      const lines: string[] = []
      const { heard, base } = await serveTranscriber()
      const answer = await transcribe(
        { url: await serveAudio(huge, { ranges }) },
        { TRANSCRIBE_BASE_URL: base },
        { log: (line) => lines.push(line) },
      )
      expect(answer).toMatchObject({ audio_bytes: LIMITS.audioBytes, truncated: true })
      expect(heard[0]?.bytes).toHaveLength(LIMITS.audioBytes)
      expect(lines[0]).toContain('the rest is left out')
    },
  )

  test('through the product’s own fetch a file larger than one answer may be still arrives', async () => {
    const large = Buffer.alloc(LIMITS.fetchBodyBytes + 1)
    const { heard, base } = await serveTranscriber()
    const guarded = createGuardedFetch({ allowPrivateHosts: ['127.0.0.1'] })
    const transcribeAt = (url: string) =>
      transcribe(
        { url },
        { TRANSCRIBE_BASE_URL: base },
        { capabilities: { fetch: guarded, shell: () => Promise.reject(new Error('unused')) } },
      )
    expect(await transcribeAt(await serveAudio(large))).toMatchObject({
      audio_bytes: large.length,
      truncated: false,
    })
    expect(heard[0]?.bytes).toHaveLength(large.length)
    const whole = await serveAudio(large, { ranges: false })
    await expect(transcribeAt(whole)).rejects.toMatchObject({ code: 'payload_too_large' })
  })

  test('exactly the limit is not truncated', async () => {
    const { base } = await serveTranscriber()
    const url = await serveAudio(Buffer.alloc(LIMITS.audioBytes))
    expect(await transcribe({ url }, { TRANSCRIBE_BASE_URL: base })).toMatchObject({
      audio_bytes: LIMITS.audioBytes,
      truncated: false,
    })
  })

  test.each([
    [401, '', 'invalid_api_key'],
    [429, 'slow down', 'rate_limited'],
    [500, 'boom', 'upstream_failed'],
    [200, 'no json', 'upstream_failed'],
    [200, '{"words":[]}', 'upstream_failed'],
  ])('its answer %i %j is %s', async (status, body, code) => {
    const base = await serveLoopback(async (request, response) => {
      await readBody(request)
      response.writeHead(status).end(body)
    })
    const url = await serveAudio(MP3)
    await expect(transcribe({ url }, { TRANSCRIBE_BASE_URL: base })).rejects.toMatchObject({ code })
  })

  test('silence, an empty file and a web page are rejected', async () => {
    const { base } = await serveTranscriber('  \n ')
    const secrets = { TRANSCRIBE_BASE_URL: base }
    await expect(transcribe({ url: await serveAudio(MP3) }, secrets)).rejects.toThrow('no speech')
    const empty = await serveAudio(Buffer.alloc(0), { ranges: false })
    await expect(transcribe({ url: empty }, secrets)).rejects.toThrow('is an empty file')
    const page = await serveAudio(Buffer.from('<html>'), { type: 'text/html; charset=utf-8' })
    await expect(transcribe({ url: page }, secrets)).rejects.toThrow('is text/html, not audio')
  })
})

describe('by whisper.cpp, in the sandbox', () => {
  const script = `
while [ $# -gt 1 ]; do
  case "$1" in --model) model=$2;; --file) file=$2;; --output-file) out=$2;; --language) language=$2;; esac
  shift
done
[ -n "$language" ] && { cat "$model"; head -c 3 "$file"; echo " in $language"; } > "$out.txt"`

  const makeModel = async () => {
    const folder = await mkdtemp(join(homedir(), '.steward-library-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const model = join(folder, 'ggml-tiny.bin')
    await writeFile(model, 'tiny heard ')
    return model
  }

  test('reads the audio and the model, and returns the transcript', async () => {
    const shell = await shellWithCommand('whisper-cli', script)
    const answer = await transcribe(
      { url: await serveAudio(MP3) },
      { WHISPER_MODEL: await makeModel() },
      { capabilities: { fetch, shell } },
    )
    expect(answer).toMatchObject({
      content: 'tiny heard ID3 in auto',
      source: 'whisper.cpp',
      audio_bytes: MP3.length,
      truncated: false,
    })
  })

  test('a format it cannot read, a model that is not there and a failure are named', async () => {
    const shell = await shellWithCommand('whisper-cli', "echo 'failed to read audio' >&2; exit 4")
    const model = await makeModel()
    const run = async (bytes: Buffer, path: string) =>
      transcribe(
        { url: await serveAudio(bytes) },
        { WHISPER_MODEL: path },
        { capabilities: { fetch, shell } },
      )
    await expect(run(Buffer.from('____ftypM4A '), model)).rejects.toThrow('this is m4a')
    await expect(run(MP3, `${model}.gone`)).rejects.toMatchObject({ code: 'path_refused' })
    await expect(run(MP3, model)).rejects.toThrow('ended with code 4: failed to read audio')
  })

  test('without whisper-cli it says how to install it', async () => {
    const shell = await shellWithoutCommands()
    await expect(
      transcribe(
        { url: await serveAudio(MP3) },
        { WHISPER_MODEL: await makeModel() },
        { capabilities: { fetch, shell } },
      ),
    ).rejects.toMatchObject({
      code: 'command_missing',
      message: expect.stringContaining('brew install whisper-cpp'),
    })
  })
})

describe('before anything is downloaded', () => {
  test('says what to set', async () => {
    await expect(transcribe({ url: 'https://example.invalid/a.mp3' }, {})).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringMatching(/TRANSCRIBE_BASE_URL.*WHISPER_MODEL/),
    })
  })

  test.each([
    [{ url: 'file:///etc/passwd' }, 'url'],
    [{ url: '--exec' }, 'url'],
    [{ url: '' }, 'url'],
    [{ url: 'https://example.invalid/a', language: 'en --x' }, 'language'],
  ])('refuses %j', async (input, field) => {
    await expect(transcribe(input, { TRANSCRIBE_BASE_URL: 'http://x' })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { field },
    })
  })
})
