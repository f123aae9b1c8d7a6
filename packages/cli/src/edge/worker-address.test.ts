import { describe, expect, it } from 'vitest'
import { findWorker } from './worker-address.ts'

describe('findWorker', () => {
  const edge = { workers: {}, subdomain: 'me' }

  it('builds the address from the subdomain, or uses the configured one', () => {
    expect(findWorker('A_COUNT_WORDS', edge, 't').url).toBe(
      'https://exec-a-count-words.me.workers.dev/',
    )
    const workers = { 'exec-a-count-words': 'http://127.0.0.1:1/' }
    expect(findWorker('A_COUNT_WORDS', { workers }, 't').url).toBe('http://127.0.0.1:1/')
  })

  it('falls back to the address of the last deployment', () => {
    const find = (subdomain?: string) =>
      findWorker('A_COUNT_WORDS', { ...edge, subdomain }, 't', 'https://deployed.example/').url
    expect(find()).toBe('https://deployed.example/')
    expect(find('me')).toMatch(/\.me\.workers\.dev/)
  })

  it('lists everything that is missing, and the alternative', () => {
    expect(() => findWorker('A_COUNT_WORDS', { workers: {} }, undefined)).toThrow(
      /edge\.subdomain .* and AUTH_TOKEN .*--local/,
    )
  })
})
