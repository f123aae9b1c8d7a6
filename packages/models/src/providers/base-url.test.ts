import { describe, expect, it } from 'vitest'
import { anthropicBase, ollamaRoot, openaiBase } from './base-url.ts'

describe('base addresses', () => {
  it.each([
    ['https://api.anthropic.com', 'https://api.anthropic.com/v1'],
    ['http://127.0.0.1:9/v1/', 'http://127.0.0.1:9/v1'],
    ['http://127.0.0.1:9/', 'http://127.0.0.1:9/v1'],
    ['https://gateway.example/anthropic', 'https://gateway.example/anthropic/v1'],
    ['https://api.anthropic.com/v1/messages', 'https://api.anthropic.com/v1'],
  ])('of Anthropic: %s', (given, expected) => {
    expect(anthropicBase(given)).toBe(expected)
  })

  it.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/v1'],
    ['https://api.openai.com/v1', 'https://api.openai.com/v1'],
    ['https://host.example/v1beta/openai/', 'https://host.example/v1beta/openai'],
    ['http://127.0.0.1:9/v1/chat/completions', 'http://127.0.0.1:9/v1'],
  ])('of an OpenAI-compatible server: %s', (given, expected) => {
    expect(openaiBase(given)).toBe(expected)
  })

  it.each(['http://h:11434', 'http://h:11434/v1', 'http://h:11434/api/tags', 'http://h:11434/api'])(
    'of Ollama: %s',
    (given) => {
      expect(ollamaRoot(given)).toBe('http://h:11434')
    },
  )
})
