import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readModelEnvironment } from './environment.ts'

const read = (env: Record<string, string | undefined>) => {
  const result = readModelEnvironment(env)
  return result.ok ? result.value : result.error.message
}

describe('readModelEnvironment', () => {
  it('reads every name, trims, and treats empty as unset', () => {
    expect(
      read({
        LLM_PROVIDER: ' OpenAI ',
        LLM_API_KEY: 'key\n',
        LLM_BASE_URL: 'http://127.0.0.1:1/v1',
        LLM_MODEL_FAST: 'a',
        LLM_MODEL_STANDARD: '',
        LLM_MODEL_DEEP: 'b',
      }),
    ).toEqual({
      provider: 'openai',
      apiKey: 'key',
      baseUrl: 'http://127.0.0.1:1/v1',
      models: { fast: 'a', deep: 'b' },
    })
    expect(read({})).toEqual({ models: {} })
  })

  it.each([
    [{ LLM_PROVIDER: 'antropic' }, /LLM_PROVIDER.*did you mean anthropic.*offline/],
    [{ LLM_BASE_URL: 'localhost' }, /LLM_BASE_URL: not an address/],
    [{ LLM_BASE_URL: 'ftp://x' }, /LLM_BASE_URL: ftp:/],
    [{ LLM_BASE_URL: 'http://u:p@x' }, /LLM_BASE_URL: .*LLM_API_KEY/],
    [{ LLM_MODEL_DEEP: 'two words' }, /LLM_MODEL_DEEP/],
  ])('reports the invalid value in %j', (env, message) => {
    expect(read(env)).toMatch(message)
  })

  it('does not print a key it rejects', () => {
    expect(read({ LLM_API_KEY: 'sk "quoted" secret' })).toMatch(/^LLM_API_KEY: (?!.*secret)/)
  })

  it('never throws, whatever the values', () => {
    const value = fc.option(fc.string(), { nil: undefined })
    fc.assert(
      fc.property(value, value, value, value, (provider, key, url, model) => {
        const result = readModelEnvironment({
          LLM_PROVIDER: provider,
          LLM_API_KEY: key,
          LLM_BASE_URL: url,
          LLM_MODEL_FAST: model,
        })
        expect(typeof result.ok).toBe('boolean')
      }),
    )
  })
})
