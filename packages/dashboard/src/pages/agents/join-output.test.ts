import type { DrivenOutput } from '@steward/contract'
import { expect, it } from 'vitest'
import { joinOutput, readPiece } from './join-output.ts'

const piece = (seq: number, kind: DrivenOutput['kind'], text: string): DrivenOutput => ({
  seq,
  at: '2026-03-01T10:00:00Z',
  kind,
  text,
})

it('joins the pieces of a message, and keeps everything else apart', () => {
  const first = joinOutput([], [piece(1, 'prompt', 'Do it'), piece(2, 'message', 'I am ')])
  const next = [piece(3, 'message', 'done.'), piece(4, 'tool', 'Read'), piece(5, 'tool', 'Write')]
  expect(joinOutput(first, next).map(({ seq, kind, text }) => [seq, kind, text])).toEqual([
    [1, 'prompt', 'Do it'],
    [2, 'message', 'I am done.'],
    [4, 'tool', 'Read'],
    [5, 'tool', 'Write'],
  ])
})

it('keeps the last blocks of a long session', () => {
  const tools = Array.from({ length: 1500 }, (_, index) => piece(index + 1, 'tool', 'Read'))
  const blocks = joinOutput([], tools)
  expect([blocks.length, blocks.at(-1)?.seq]).toEqual([1000, 1500])
})

it('reads what the stream sends, and nothing else', () => {
  const sent = piece(1, 'plan', '1. look')
  expect(readPiece(sent)).toEqual(sent)
  for (const strange of [null, 'text', {}, { ...sent, kind: 'dream' }, { ...sent, seq: '1' }])
    expect(readPiece(strange)).toBeUndefined()
})
