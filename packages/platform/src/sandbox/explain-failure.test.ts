import { describe, expect, it } from 'vitest'
import { explainFailure, readSystemFile } from './explain-failure.ts'

const system = (files: Record<string, string>) => (path: string) => files[path]

describe('explainFailure', () => {
  it.each([
    ['/proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1', '/etc/apparmor.d/bwrap'],
    ['/proc/sys/kernel/unprivileged_userns_clone', '0', 'kernel.unprivileged_userns_clone=1'],
    ['/proc/sys/user/max_user_namespaces', '0', 'user.max_user_namespaces='],
    ['/.dockerenv', '', '--security-opt'],
  ])('knows %s and says the fix', (path, content, fix) => {
    const text = explainFailure(
      'bwrap: setting up uid map: Permission denied\nmore',
      system({ [path]: content }),
    )
    expect(text).toContain(fix)
    expect(text).toContain('(bwrap: setting up uid map: Permission denied)')
  })

  it("repeats bubblewrap's message if the cause is unknown", () => {
    expect(explainFailure('bwrap: odd', system({}))).toBe('bubblewrap fails: bwrap: odd')
    expect(explainFailure('', system({}))).toBe('bubblewrap fails: it gave no reason')
  })

  it('reads the real system', () => {
    expect(readSystemFile('/proc/sys/kernel/not-a-setting')).toBeUndefined()
  })
})
