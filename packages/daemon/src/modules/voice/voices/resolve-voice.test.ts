import { settings } from '@steward/contract'
import { expect, test } from 'vitest'
import type { Manner } from '../speech-line.ts'
import { configuredVoices, defaultVoiceId, resolveVoice } from './resolve-voice.ts'

const given = settings.parse({
  voice: { volume: 0.5 },
  daidentity: {
    voices: {
      main: { voiceId: 'M', stability: 0.4, volume: 0.8, systemVoice: 'Samantha' },
      Engineer: { voice_id: 'E', voice_settings: { similarity_boost: 0.9 }, openaiVoice: 'nova' },
      artist: { VOICE_ID: 'A' },
    },
  },
})
const resolve = (manner: Manner) => resolveVoice(manner, given)

test('the id: the caller’s, else the agent’s, else the identity’s own', () => {
  expect(resolve({}).id).toBe('M')
  expect(resolve({ agent: 'engineer' }).id).toBe('E')
  expect(resolve({ agent: 'artist' }).id).toBe('A')
  expect(resolve({ agent: 'stranger' }).id).toBe('M')
  expect(resolve({ voice_id: 'X', agent: 'engineer' }).id).toBe('X')
  expect(resolve({ voice_name: 'Engineer' }).id).toBe('E')
  expect(resolveVoice({}, settings.parse({})).id).toBeUndefined()
  expect(resolve({ voice_id: '', voice_name: '' })).toEqual(resolve({}))
})

test('the settings: the caller’s, else those of the entry with that id, else main’s, else a fallback', () => {
  expect(resolve({ voice_settings: { speed: 1.1 } }).settings).toEqual({ speed: 1.1 })
  expect(resolve({ voice_id: 'E' }).settings).toEqual({ similarity_boost: 0.9 })
  expect(resolve({ agent: 'artist' }).settings).toEqual({ stability: 0.4 })
  expect(resolve({ voice_id: 'X' }).settings).toEqual({ stability: 0.4 })
  expect(resolveVoice({}, settings.parse({})).settings).toEqual({
    stability: 0.5,
    similarity_boost: 0.75,
  })
})

test('the volume is the caller’s or the entry’s, scaled by the settings', () => {
  expect(resolve({}).volume).toBeCloseTo(0.4)
  expect(resolve({ volume: 1 }).volume).toBe(0.5)
  expect(resolve({ agent: 'engineer' })).toMatchObject({
    volume: 0.4,
    openai: 'nova',
    system: 'Samantha',
  })
})

test('lists the configured voices', () => {
  expect(configuredVoices(given)).toEqual(['main', 'Engineer', 'artist'])
  expect(defaultVoiceId(given)).toBe('M')
})
