import { expect, it } from 'vitest'
import { projectOf, titleOf } from './describe-session.ts'

it('uses the first line of the first request as title, else the name', () => {
  expect(titleOf({ prompt: ' Fix the roof\nand the door', name: 'Fix Roof' })).toBe('Fix the roof')
  expect(titleOf({ prompt: null, name: 'Fix Roof' })).toBe('Fix Roof')
  expect(titleOf({ prompt: '\n', name: 'Fix Roof' })).toBe('Fix Roof')
})

it('names a project by its folder', () => {
  expect(projectOf({ project: '/work/site/' })).toBe('site')
  expect(projectOf({ project: 'C:\\work\\site' })).toBe('site')
  expect(projectOf({ project: null })).toBe('')
})
