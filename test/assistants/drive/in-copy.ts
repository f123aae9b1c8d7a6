import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drivenSession } from '@steward/contract'
import { expectSame } from './expect-same.ts'
import { nextTask } from './play-task.ts'
import { getDriven } from './record.ts'
import { idle } from './session.ts'
import type { Scene } from './stage.ts'

/** A folder without git: the work is in a copy, and the patch brings it over. */
export const inCopy: Scene = {
  name: 'in a copy of a folder without git',
  play: async ({ machine, model, subject }) => {
    const task = nextTask()
    model.set(task, {
      steps: [
        (folder) => subject.write(folder, 'one.txt', 'one'),
        () => ({ type: 'text', text: 'It is written.' }),
      ],
    })
    const folder = join(machine.root, `site-${subject.assistant}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'first.txt'), '1')
    const { code, stdout, stderr } = await machine.steward(
      ...['sessions', 'start', '--assistant', subject.assistant, '--project', folder, '--copy'],
      ...[
        '--allow',
        'edit',
        'execute',
        '--check',
        'cat one.txt',
        '--json',
        '--',
        `${task} write a file`,
      ],
    )
    if (code !== 0) throw new Error(`sessions start: ${stderr}`)
    const { id } = drivenSession.parse(JSON.parse(stdout))
    await idle(machine, id)
    const { result, branch, copy } = await getDriven(machine, id)
    const isUntouched = !existsSync(join(folder, 'one.txt'))
    execFileSync('git', ['-C', folder, 'apply', result?.patch ?? ''])
    expectSame(
      {
        ...{ branch, copy, isUntouched, check: result?.check?.output },
        applied: readFileSync(join(folder, 'one.txt'), 'utf8').trim(),
      },
      { branch: null, copy: true, isUntouched: true, check: 'one', applied: 'one' },
    )
  },
}
