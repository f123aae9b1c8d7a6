import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { API, voiceStatus } from '@steward/contract'
import { describe, expect, test } from 'vitest'
import { openVoice } from '../testing/open-voice.ts'
import { makeMp3, makeWav } from '../testing/sounds.ts'
import { type Answer, openSpeechStandIn } from '../testing/speech-stand-in.ts'
import { until } from '../testing/until.ts'

const KEY = 'sk-eleven-0123456789'
const SOUND = makeMp3(20)
const speak: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(SOUND)
}
const refuse =
  (status: number, body: string, headers = {}): Answer =>
  (response) => {
    response.writeHead(status, headers).end(body)
  }
const LINUX = ['espeak-ng', 'mpg123']

const openEleven = async (answer: Answer, more: Record<string, unknown> = {}) => {
  const service = await openSpeechStandIn(answer)
  const voice = await openVoice({
    platform: 'linux',
    installed: LINUX,
    variables: { ELEVENLABS_API_KEY: KEY },
    settings: { voice: { elevenlabs: { baseUrl: service.url } }, ...more },
  })
  const status = async () => voiceStatus.parse(await voice.call(API.getVoice))
  return { service, voice, status }
}

describe('ElevenLabs', () => {
  test('sends exactly the request its API requires, and plays the answer', async () => {
    const { service, voice, status } = await openEleven(speak, {
      daidentity: {
        voices: {
          main: { voiceId: 'MainVoice', stability: 0.35, similarityBoost: 0.8, volume: 0.5 },
        },
      },
    })
    await voice.offer({ message: 'Tests "passed": a < b & c' })
    const player = await voice.nextProgram()
    expect(service.seen).toHaveLength(1)
    expect(service.seen[0]).toMatchObject({
      method: 'POST',
      path: '/v1/text-to-speech/MainVoice',
      headers: { 'xi-api-key': KEY, accept: 'audio/mpeg', 'content-type': 'application/json' },
      body: '{"text":"Tests \\"passed\\": a < b & c","model_id":"eleven_turbo_v2_5","voice_settings":{"stability":0.35,"similarity_boost":0.8}}',
    })
    expect(player.name).toBe('mpg123')
    expect(player.run.args.slice(0, 3)).toEqual(['-q', '-f', '16384'])
    const file = player.run.args[3] ?? ''
    expect(readFileSync(file).equals(SOUND)).toBe(true)
    expect(statSync(file).mode & 0o077).toBe(0)
    player.end()
    await until(() => voice.ended.length === 1)
    expect(voice.events().at(-1)).toMatchObject({
      type: 'voice_complete',
      voice_engine: 'elevenlabs',
      voice_id: 'MainVoice',
    })
    expect(await status()).toMatchObject({
      status: 'ok',
      voice_system: 'elevenlabs',
      api_key_configured: true,
      default_voice_id: 'MainVoice',
      configured_voices: ['main'],
      player: 'mpg123',
    })
  })

  test('requests the same text and voice once; another voice or setting is a new sound', async () => {
    const { service, voice } = await openEleven(speak)
    const say = async (announcement: Parameters<typeof voice.offer>[0]) => {
      const before = voice.ended.length
      await voice.offer(announcement)
      ;(await voice.nextProgram()).end()
      await until(() => voice.ended.length > before)
    }
    await say({ message: 'again' })
    await say({ message: 'again' })
    expect(service.seen).toHaveLength(1)
    await say({ message: 'again', voice_id: 'Other' })
    await say({ message: 'again', voice_settings: { speed: 1.2 } })
    expect(service.seen).toHaveLength(3)
    const cache = join(voice.home.databases, 'speech', 'cache')
    const names = readdirSync(cache)
    expect(names).toHaveLength(3)
    for (const name of names) expect(statSync(join(cache, name)).mode & 0o077).toBe(0)
    expect(statSync(cache).mode & 0o077).toBe(0)
  })

  test.each<[string, Answer, object]>([
    [
      'a secret where the message is cut',
      refuse(500, `{"detail":"${'x'.repeat(180)} ghp_${'aB3'.repeat(12)}"}`),
      { last_error: expect.stringMatching(/: x{180} \[redacted/) },
    ],
    [
      '401',
      refuse(401, '{"detail":{"status":"invalid_api_key","message":"Invalid API key"}}'),
      {
        last_error: 'ElevenLabs answered 401: invalid_api_key: Invalid API key (check the key)',
        quota_exceeded: false,
      },
    ],
    [
      'a used up quota',
      refuse(
        401,
        '{"detail":{"status":"quota_exceeded","message":"This request exceeds your quota."}}',
      ),
      {
        last_error:
          'ElevenLabs answered 401: quota_exceeded: This request exceeds your quota. (the quota is used up)',
        quota_exceeded: true,
      },
    ],
    [
      '402',
      refuse(402, ''),
      { last_error: 'ElevenLabs answered 402 (the quota is used up)', quota_exceeded: true },
    ],
    [
      '429',
      refuse(429, 'slow down', { 'retry-after': '5' }),
      { last_error: 'ElevenLabs answered 429: slow down', quota_exceeded: false },
    ],
    [
      '500',
      refuse(500, '<html>oops</html>'),
      { last_error: 'ElevenLabs answered 500: <html>oops</html>' },
    ],
    [
      'rubbish',
      refuse(200, '<html>a page</html>'),
      { last_error: expect.stringContaining('invalid audio: no sound') },
    ],
    ['nothing', refuse(200, ''), { last_error: 'ElevenLabs answered with invalid audio: empty' }],
    [
      'half a file',
      (response) => response.writeHead(200).end(SOUND.subarray(0, 1000)),
      { last_error: expect.stringContaining('cut short') },
    ],
    [
      'a connection cut in the middle',
      (response) => {
        response.writeHead(200, { 'content-length': SOUND.length })
        response.write(SOUND.subarray(0, 1000), () => response.destroy())
      },
      { last_error: expect.stringContaining('could not be reached') },
    ],
    [
      'a redirect',
      refuse(302, '', { location: 'http://127.0.0.1:9/' }),
      { last_error: expect.stringContaining('could not be reached') },
    ],
  ])(
    '%s: the caller never notices, the next one speaks, GET /voice tells',
    async (_, answer, expected) => {
      const { voice, status } = await openEleven(answer)
      const accepted = await voice.offer({ message: 'hello' })
      expect(accepted.queued).toBe(true)
      const engine = await voice.nextProgram()
      expect(engine).toMatchObject({ name: 'espeak-ng', run: { stdin: 'hello' } })
      engine.end()
      await until(() => voice.ended.length === 1)
      expect(voice.ended).toEqual([{ outcome: 'spoken', detail: 'system' }])
      expect(await status()).toMatchObject({ status: 'degraded', ...expected })
      expect(voice.module.health()).toMatchObject({
        status: 'degraded',
        reasons: [expect.any(String)],
      })
      expect(voice.events().at(-1)).toMatchObject({
        type: 'voice_complete',
        voice_engine: 'system',
        attempts: [{ engine: 'elevenlabs', error: expect.any(String) }],
      })
      expect(
        JSON.stringify([voice.log, voice.events(), await status(), voice.module.health()]),
      ).not.toContain(KEY)
    },
  )

  test('a hanging service times out', async () => {
    const { service, voice, status } = await openEleven(() => undefined)
    await voice.offer({ message: 'hello' })
    await until(() => service.seen.length === 1)
    voice.clock.advance(15_000)
    const engine = await voice.nextProgram()
    expect(engine.name).toBe('espeak-ng')
    expect((await status()).last_error).toBe('ElevenLabs did not answer within 15000 ms')
  })

  test('a refused key rests and is not asked again, until the person changes something', async () => {
    const { service, voice, status } = await openEleven(refuse(401, ''))
    const say = async (message: string) => {
      const before = voice.ended.length
      await voice.offer({ message })
      ;(await voice.nextProgram()).end()
      await until(() => voice.ended.length > before)
    }
    await say('a')
    await say('b')
    expect(service.seen).toHaveLength(1)
    const { providers, voice_system, explanation } = await status()
    expect(providers[0]).toMatchObject({
      name: 'elevenlabs',
      circuit: 'open',
      retryAt: expect.any(String),
    })
    expect(voice_system).toBe('system')
    expect(explanation).toContain('elevenlabs: rests after ElevenLabs answered 401')
    service.answerWith(speak)
    voice.setSettings({ voice: { elevenlabs: { baseUrl: service.url } } })
    await say('c')
    expect(service.seen).toHaveLength(2)
    expect(await status()).toMatchObject({ status: 'ok', last_error: null })
  })

  test('without a player for it, it is not paid for', async () => {
    const { service, voice, status } = await openEleven(speak)
    voice.install(['espeak-ng', 'aplay'])
    expect((await status()).providers[0]).toMatchObject({
      available: false,
      reason: 'no installed program plays mp3; install one of mpg123, ffplay, pw-play, paplay',
    })
    await voice.offer({ message: 'x' })
    expect((await voice.nextProgram()).name).toBe('espeak-ng')
    expect(service.seen).toEqual([])
  })

  test('interrupted while it is asked, it is given up', async () => {
    const { service, voice } = await openEleven(() => undefined)
    await voice.offer({ message: 'x' })
    await until(() => service.seen.length === 1)
    await voice.call(API.interruptVoice, { all: false })
    await until(() => voice.ended.length === 1)
    expect(voice.ended).toEqual([{ outcome: 'skipped', detail: 'interrupted' }])
    expect(voice.started).toEqual([])
  })
})

describe('OpenAI-compatible speech', () => {
  test('is asked byte for byte as its API wants', async () => {
    const service = await openSpeechStandIn(speak)
    const voice = await openVoice({
      platform: 'linux',
      installed: ['ffplay'],
      variables: { SPEECH_API_KEY: 'speech-key-123456' },
      settings: { voice: { openai: { baseUrl: `${service.url}/v1/` }, volume: 0.5 } },
    })
    await voice.offer({ message: 'Hallo', voice_settings: { speed: 1.25 }, volume: 0.5 })
    const player = await voice.nextProgram()
    expect(service.seen[0]).toMatchObject({
      method: 'POST',
      path: '/v1/audio/speech',
      headers: { authorization: 'Bearer speech-key-123456', accept: 'audio/mpeg' },
      body: '{"model":"gpt-4o-mini-tts","input":"Hallo","voice":"alloy","response_format":"mp3","speed":1.25}',
    })
    expect(player).toMatchObject({ name: 'ffplay' })
    expect(player.run.args).toContain('25')
  })

  test('a server of one’s own needs no key; a WAV is asked for where only ALSA plays', async () => {
    const service = await openSpeechStandIn(speak)
    const voice = await openVoice({
      platform: 'linux',
      installed: ['aplay'],
      settings: { voice: { openai: { baseUrl: service.url, voice: 'nova' } } },
    })
    await voice.offer({ message: 'x', voice_id: '21m00Tcm4TlvDq8ikWAM' })
    await until(() => service.seen.length === 1)
    expect(service.seen[0]?.headers.authorization).toBeUndefined()
    expect(service.seen[0]?.body).toBe(
      '{"model":"gpt-4o-mini-tts","input":"x","voice":"nova","response_format":"wav"}',
    )
  })
})

describe('choice', () => {
  test('the chosen provider comes first, and only local ones are fallbacks', async () => {
    const service = await openSpeechStandIn(refuse(500, ''))
    const voice = await openVoice({
      platform: 'linux',
      installed: ['mpg123'],
      variables: { ELEVENLABS_API_KEY: KEY },
      settings: {
        voice: {
          provider: 'openai',
          openai: { baseUrl: service.url },
          elevenlabs: { baseUrl: service.url },
        },
      },
    })
    await voice.offer({ message: 'x' })
    await until(() => voice.ended.length === 1)
    expect(service.seen.map(({ path }) => path)).toEqual(['/audio/speech'])
    expect(voice.events().at(-1)).toMatchObject({
      type: 'voice_failed',
      voice_engine: 'openai',
      status_code: 500,
    })
  })

  test('reports when no provider can speak, with a remedy', async () => {
    const voice = await openVoice({ platform: 'linux', installed: [] })
    expect(voice.module.health().status).toBe('unavailable')
    await voice.offer({ message: 'x' })
    await until(() => voice.ended.length === 1)
    expect(voice.ended).toEqual([{ outcome: 'failed', detail: 'no provider can speak' }])
    expect(await voice.call(API.getVoice)).toMatchObject({
      voice_system: 'none',
      explanation: expect.stringContaining('neither espeak-ng nor spd-say is installed'),
    })
  })
})

describe('the system', () => {
  test('espeak-ng writes a private file that is played and then removed', async () => {
    const voice = await openVoice({ platform: 'linux', installed: ['espeak-ng', 'aplay'] })
    await voice.offer({ message: '$(reboot) "x"' })
    const engine = await voice.nextProgram()
    const [flag, file = ''] = engine.run.args
    expect([flag, engine.run.stdin]).toEqual(['-w', '$(reboot) "x"'])
    expect(statSync(file).mode & 0o077).toBe(0)
    writeFileSync(file, makeWav(100))
    engine.end()
    const player = await voice.nextProgram()
    expect([player.name, ...player.run.args]).toEqual(['aplay', '-q', file])
    expect(player.run.timeoutMs).toBe(15_100)
    player.end()
    await until(() => voice.ended.length === 1)
    expect(readdirSync(join(voice.home.databases, 'speech', 'playing'))).toEqual([])
  })

  test('a player that fails makes room for the next', async () => {
    const voice = await openVoice({
      platform: 'linux',
      installed: ['espeak-ng', 'paplay', 'aplay'],
    })
    await voice.offer({ message: 'x' })
    const engine = await voice.nextProgram()
    writeFileSync(engine.run.args[1] ?? '', makeWav(100))
    engine.end()
    const first = await voice.nextProgram()
    expect(first.name).toBe('paplay')
    first.end({ is: 'ended', code: 1, stderr: 'Connection refused' })
    const second = await voice.nextProgram()
    expect(second.name).toBe('aplay')
    second.end()
    await until(() => voice.ended.length === 1)
    expect(voice.ended[0]?.outcome).toBe('spoken')
  })

  test('espeak-ng without a sound device is reported as such, not as a missing file', async () => {
    const voice = await openVoice({ platform: 'linux', installed: ['espeak-ng'] })
    await voice.offer({ message: 'hello' })
    const engine = await voice.nextProgram()
    engine.end({ is: 'ended', code: 0, stderr: 'ALSA lib\nerror: No such file or directory\n' })
    await until(() => voice.ended.length === 1)
    expect(voice.ended[0]).toMatchObject({
      outcome: 'failed',
      detail: expect.stringContaining('no sound device'),
    })
  })

  test('espeak-ng that complains of its device did not speak; speech-dispatcher is next', async () => {
    const voice = await openVoice({ platform: 'linux', installed: ['espeak-ng', 'spd-say'] })
    await voice.offer({ message: '--help' })
    const engine = await voice.nextProgram()
    expect(engine.run.args).not.toContain('-w')
    engine.end({ is: 'ended', code: 0, stderr: 'ALSA lib\nerror: No such file or directory\n' })
    const next = await voice.nextProgram()
    expect([next.name, ...next.run.args]).toEqual([
      'spd-say',
      '--wait',
      '--volume',
      '100',
      '--',
      '--help',
    ])
    next.end()
    await until(() => voice.ended.length === 1)
    expect(voice.ended).toEqual([{ outcome: 'spoken', detail: 'system' }])
  })
})
