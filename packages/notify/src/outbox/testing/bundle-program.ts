import { join } from 'node:path'
import { build } from 'esbuild'

/**
 * Bundles a test program into one file in `folder`, because it then starts in a quarter of the
 * time.
 */
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
