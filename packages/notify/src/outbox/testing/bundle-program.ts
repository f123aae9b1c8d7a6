import { join } from 'node:path'
import { build } from 'esbuild'

/** One of the programs here as a single file in `folder`: it starts in a quarter of the time, which tests do often. */
export const bundleProgram = async (
  name: 'dying-process' | 'outbox-process',
  folder: string,
): Promise<string> => {
  const outfile = join(folder, `${name}.mjs`)
  await build({
    entryPoints: [join(import.meta.dirname, `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
  return outfile
}
