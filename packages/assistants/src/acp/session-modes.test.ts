import { expect, it } from 'vitest'
import { readModes } from './session-modes.ts'

const choice = (value: string) => ({ value, name: value })
const option = { id: 'agent', name: 'Agent', type: 'select', category: 'mode' } as const

it('reads the modes of a session, or the option that stands for them', () => {
  const modes = { currentModeId: 'a', availableModes: [{ id: 'a', name: 'A' }] }
  const plain = { ...option, currentValue: 'build', options: [choice('build'), choice('plan')] }
  const groups = [{ group: 'g', name: 'G', options: [choice('build')] }]
  expect(readModes({ modes, configOptions: [plain] })).toEqual({ ids: ['a'] })
  expect(readModes({ configOptions: [plain] })).toEqual({ ids: ['build', 'plan'], option: 'agent' })
  expect(readModes({ configOptions: [{ ...plain, options: groups }] })).toEqual({
    ids: ['build'],
    option: 'agent',
  })
  expect(readModes({ configOptions: [{ ...plain, category: 'model' }] })).toEqual({ ids: [] })
  expect(readModes({})).toEqual({ ids: [] })
})
