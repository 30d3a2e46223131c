local function sum(n)
  local s = 0
  for i = 1, n do
    s = s + i
  end
  return s
end
local function never()
  return 1
end
print(sum(3))
