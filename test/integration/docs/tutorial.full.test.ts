/** docs/tutorial.md, typed in word by word; an embedded router stands in for Crossbar.io (test/python has the page with it). */

import {
  openTutorial,
  routerSection,
  type Student,
  tutorial,
} from '#test/support/pages/tutorial.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'

describe('docs/tutorial.md', () => {
  let router: TestRouter
  let student: Student

  before(async () => {
    router = await openEmbeddedRouter(['service.gateway', 'com.example.books'])
    student = await openTutorial(Number(new URL(router.url).port))
  })
  after(async () => {
    await student?.leave()
    await router?.stop()
  })

  for (const [heading, steps] of tutorial) {
    if (heading === routerSection) continue
    it(`comes to what it says: ${heading}`, async () => {
      for (const step of steps) await student.reader.follow(step)
    })
  }
})
