import type { Call } from '../program.ts'

/** Writes the target itself, or a file of the same name inside it. */
export const writeInto = (
  { shell }: Call,
  sources: readonly string[],
  target: string | undefined,
): void => {
  if (target === undefined) return
  if (!target.endsWith('/')) shell.write(target)
  for (const source of sources) {
    const name = source.replace(/\/+$/, '').split('/').at(-1) ?? ''
    const isNamed = name !== '' && name !== '.' && name !== '..'
    if (isNamed)
      shell.write(`${target.replace(/\/+$/, '')}/${name}`, { gentle: target.endsWith('/') })
  }
}
