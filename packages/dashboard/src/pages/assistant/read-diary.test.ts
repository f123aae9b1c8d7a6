import { expect, it } from 'vitest'
import { readDiary } from './read-diary.ts'

it('is the list of a day, without the heading that the page has itself', () => {
  expect(readDiary('# 2026-11-14\n\n- 1 prompt in 1 session.\n- 1 rating.\n')).toEqual([
    { items: ['1 prompt in 1 session.', '1 rating.'] },
  ])
})

it('keeps text that a person wrote in between', () => {
  expect(readDiary('# Day\n- one\n\nA quiet day.\n## Later\n* two')).toEqual([
    { items: ['one'] },
    { text: 'A quiet day.' },
    { text: 'Later' },
    { items: ['two'] },
  ])
  expect(readDiary(' \n')).toEqual([])
})
