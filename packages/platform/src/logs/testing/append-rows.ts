import { appendLogRow } from '../append-log.ts'

/** Child program: appends numbered rows under a writer's name and prints each acknowledged one. */
const [path = '', writer = '', count = '0', maxBytes = '0', files = '0'] = process.argv.slice(2)
const options = { maxBytes: Number(maxBytes), files: Number(files) }
for (let index = 0; index < Number(count); index++) {
  const padding = 'x'.repeat((index * 37) % 400)
  const { rotationError } = appendLogRow(path, { writer, index, padding }, options)
  if (rotationError !== undefined) throw rotationError
  process.stdout.write(`${index}\n`)
}
