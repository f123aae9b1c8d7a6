import { expect, test } from 'vitest'
import { toOutcome } from './to-outcome.ts'

test('shows what a model can see and names the rest', () => {
  const { content, isError } = toOutcome({
    isError: true,
    content: [
      { type: 'text', text: 'words' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'image', data: 'AAAA', mimeType: 'image/tiff' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'file:///a', name: 'a' },
      { type: 'resource', resource: { uri: 'x:1', text: 'inside' } },
      { type: 'resource', resource: { uri: 'x:2', blob: 'AAAA', mimeType: 'application/pdf' } },
    ],
  })
  expect(isError).toBe(true)
  expect(content).toEqual([
    { type: 'text', text: 'words' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    { type: 'text', text: '[a picture of type image/tiff, which is not shown]' },
    { type: 'text', text: '[audio of type audio/wav, which is not shown]' },
    { type: 'text', text: 'a: file:///a' },
    { type: 'text', text: 'inside' },
    {
      type: 'document',
      title: 'x:2',
      source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
    },
  ])
  expect(toOutcome({ content: [], structuredContent: { a: 1 } }).content).toEqual([
    { type: 'text', text: '{"a":1}' },
  ])
})

test('cuts texts that are too long in total', () => {
  const text = 'x'.repeat(80_000)
  const { content } = toOutcome({
    content: [
      { type: 'text', text },
      { type: 'text', text },
    ],
  })
  expect(content[0]).toEqual({ type: 'text', text })
  expect(JSON.stringify(content[1])).toContain('20000 of 80000 characters')
  const large = { type: 'image' as const, mimeType: 'image/png', data: 'A'.repeat(7_000_001) }
  expect(toOutcome({ content: [large] }).content).toEqual([
    { type: 'text', text: '[a picture of type image/png is too large to show]' },
  ])
})
