import { expect, it } from "vitest";
import { dependencies } from "../package.json";
import { NOTICES } from "../src/text/notices";

it("keeps the licence of every package that the page contains", () => {
  expect(Object.keys(NOTICES).sort()).toEqual(Object.keys(dependencies).sort());
  for (const text of Object.values(NOTICES))
    expect(text).toMatch(/Permission is hereby granted[\s\S]*copyright notice/);
});
