import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { memorySink } from '../../testing/memory-io.ts'
import { askKey } from './ask-key.ts'

const press = (key: string) => {
  const modes: boolean[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true as const,
    setRawMode: (raw: boolean) => modes.push(raw),
  })
  const sink = memorySink(true)
  const answer = askKey(stdin, sink, 'Repair it?')
  stdin.write(key)
  return { answer, modes, sink }
}

it('one key answers, without a line break; the terminal is as it was', async () => {
  const { answer, modes, sink } = press('y')
  expect(await answer).toBe(true)
  expect(modes).toEqual([true, false])
  expect(sink.text()).toBe('Repair it? [y/n] yes\n')
  expect(await press('n').answer).toBe(false)
  expect(await press('\r').answer).toBe(false)
  await expect(press('\u0003').answer).rejects.toThrow()
})
