import { describe, expect, it } from 'vitest'
import { parseCgroupMounts, parseOwnCgroups } from './own-cgroups.ts'

describe('the control group of a process', () => {
  it('is read from a hybrid of both versions', () => {
    const own = parseOwnCgroups('4:memory:/a/b\n1:cpu,cpuacct:/\n0::/user.slice/x:y\n')
    expect([...own]).toEqual([
      ['memory', '/a/b'],
      ['cpu', '/'],
      ['cpuacct', '/'],
      ['', '/user.slice/x:y'],
    ])
  })

  it('is unknown when the system reports none', () => {
    expect(parseOwnCgroups('').size).toBe(0)
  })
})

describe('the mount points of hierarchies', () => {
  it('is read from the list of mounts', () => {
    const mounts = parseCgroupMounts(
      [
        'tmpfs /sys/fs/cgroup tmpfs rw,mode=755 0 0',
        'cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0',
        'cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0',
      ].join('\n'),
    )
    expect(mounts.get('cpuacct')).toBe('/sys/fs/cgroup/cpu,cpuacct')
    expect(mounts.get('')).toBe('/sys/fs/cgroup/unified')
    expect(mounts.has('memory')).toBe(false)
  })
})
