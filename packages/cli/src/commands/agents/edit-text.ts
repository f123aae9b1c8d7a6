import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import type { Io } from '../../io.ts'

/**
 * Opens a text in the person's editor and hands what came back to `accept`. When that throws, the text
 * stays where the editor left it, and the person is told where.
 */
export const editText = async (
  io: Io,
  name: string,
  text: string,
  accept: (edited: string) => Promise<void>,
): Promise<void> => {
  const editor = io.env.VISUAL ?? io.env.EDITOR
  if (!editor) {
    const reason = 'set EDITOR, as in: export EDITOR=nano'
    throw new StewardError('not_configured', { subject: 'an editor', reason })
  }
  const folder = await mkdtemp(join(tmpdir(), 'steward-agent-'))
  const path = join(folder, name)
  await writeFile(path, text, { mode: 0o600 })
  // The shell takes `code --wait` apart as the person meant it.
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit' })
  const [code]: unknown[] = await once(child, 'exit')
  try {
    if (code !== 0) {
      const reason = `${editor} ended with ${code}; nothing was changed`
      throw new StewardError('invalid_input', { subject: 'the editor', reason })
    }
    await accept(await readFile(path, 'utf8'))
  } catch (thrown) {
    io.err.write(`your text is kept: ${path}\n`)
    throw thrown
  }
  await rm(folder, { recursive: true, force: true })
}
