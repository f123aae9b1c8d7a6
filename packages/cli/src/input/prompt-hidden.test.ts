import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { memorySink } from '../testing/memory-io.ts'
import { isTerminalInput, promptHidden } from './prompt-hidden.ts'

describe('promptHidden', () => {
  const terminal = () => {
    const modes: boolean[] = []
    const stdin = Object.assign(new Readable({ read: () => undefined }), {
      isTTY: true as const,
      setRawMode: (raw: boolean) => modes.push(raw),
    })
    return { stdin, modes }
  }
  const type = async (text: string) => {
    const { stdin, modes } = terminal()
    const sink = memorySink(true)
    const asked = promptHidden(stdin, sink, 'KEY: ')
    stdin.push(text)
    return { value: await asked, shown: sink.text(), modes }
  }

  it('reads what is typed without showing it, and restores the terminal', async () => {
    expect(await type('sk-ü1x\u007f2\r')).toEqual({
      value: 'sk-ü12',
      shown: 'KEY: \n',
      modes: [true, false],
    })
  })

  it('ends at ^C', async () => {
    await expect(type('abc\u0003')).rejects.toMatchObject({ exitCode: 130 })
  })

  it('is for terminals only', () => {
    expect(isTerminalInput(terminal().stdin)).toBe(true)
    expect(isTerminalInput(Readable.from(['x']))).toBe(false)
  })
})
